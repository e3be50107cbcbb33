import { Alert } from '@mantine/core'
import { useEffect } from 'react'
import { formatPosition } from '../../../ui/dates/format.ts'
import { useSubscribable } from '../../../ui/hooks/use-subscribable.ts'
import { blockedKeysText } from '../controls/use-blocked-keys.ts'
import type { RefusalKind } from '../machine/playback-types.ts'
import type { PlayerOutbox } from '../outbox/player-outbox.ts'
import classes from '../player.module.css'
import type { SessionRunner, SessionView } from './session-runner.ts'

const bannerMs = 5_000

/** Shows how the session was opened, for 5 seconds or until the viewer closes it. */
export function ArrivalBanner({ view, runner }: { view: SessionView; runner: SessionRunner | undefined }) {
  const isShown = view.banner !== undefined && view.phase !== 'checking'
  useEffect(() => {
    if (!isShown) return
    const timer = setTimeout(() => runner?.send({ type: 'dismiss-banner' }), bannerMs)
    return () => clearTimeout(timer)
  }, [isShown, runner])
  if (!isShown || !view.banner) return null
  const from = formatPosition(view.launch?.startTimestamp ?? 0)
  const { color, text } = {
    resumed: { color: 'green', text: 'Resuming from previous session - Your progress has been restored' },
    approved: { color: 'blue', text: `Opened from an approved notification - Starting at ${from}` },
    view: { color: 'orange', text: `Opened from a notification - Starting at ${from}` },
  }[view.banner]
  return (
    <Alert
      color={color}
      variant="light"
      role="status"
      p="xs"
      className={classes.banner}
      data-banner={view.banner}
      withCloseButton
      closeButtonLabel="Close this message"
      onClose={() => runner?.send({ type: 'dismiss-banner' })}
    >
      {text}
    </Alert>
  )
}

/**
 * The reason for a delay, in one line under the picture. The region always exists, so that screen
 * readers announce its changes.
 */
export function StatusLine({ view, explainsBlockedKeys }: { view: SessionView; explainsBlockedKeys: boolean }) {
  const { refusal } = view
  return (
    <div role="status" className={classes.statusLine}>
      {/* A new element is announced again, also with the same text. */}
      {refusal ? <span key={refusal.number}>{refusalTexts[refusal.kind]}</span> : null}
      {refusal ? null : statusText(view) || (explainsBlockedKeys ? blockedKeysText : '')}
    </div>
  )
}

const refusalTexts: Record<RefusalKind, string> = {
  position: 'Skipping ahead is off for this task.',
  video: 'Skipping ahead is off for this task. Finish the videos before this one first.',
  uncredited: 'The last part was not credited, so the video continues where your credited time ends.',
}

function statusText(view: SessionView): string {
  const isYouTube = view.playlist.videos[view.index]?.provider === 'youtube'
  if (view.phase === 'countdown' && view.note === 'unavailable')
    return `This video cannot be played and is skipped. ${view.reason ?? ''}`
  if (view.phase === 'blocked') return 'Press play to start. Your browser does not start videos automatically.'
  if (view.phase === 'paused' && view.note === 'hidden')
    return 'Paused while hidden. Time in a hidden tab does not count as watched; press play to continue.'
  if (view.note === 'unreachable')
    return isYouTube
      ? 'Can’t reach YouTube. Retrying automatically; your progress is saved. Your network may block YouTube.'
      : 'Can’t reach the video. Retrying automatically; your progress is saved.'
  if (view.note === 'failing') return 'The video could not be loaded. Trying once more; your progress is saved.'
  if (view.note === 'waiting-for-server') return 'Waiting for a connection. The video continues automatically.'
  if (view.note === 'stalled')
    return isYouTube
      ? 'The video is not moving. If YouTube asks for your consent or shows an advertisement, answer it in the picture.'
      : 'The video is not moving. Loading continues automatically.'
  if (view.phase === 'buffering') return 'Loading…'
  return ''
}

export function OfflineLine({ outbox }: { outbox: Pick<PlayerOutbox, 'online'> }) {
  const online = useSubscribable(outbox.online)
  return (
    <div role="status" className={classes.offlineLine}>
      {!online &&
        'You are offline. Nothing is lost: your watch time is saved on this device and sent when you reconnect. If you are offline for about four minutes, the video pauses, and continues by itself when you reconnect.'}
    </div>
  )
}
