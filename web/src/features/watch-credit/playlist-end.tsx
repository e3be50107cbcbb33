import { Button } from '@mantine/core'
import type { PlaylistWatch } from '@watchline/contracts/engagement'
import { useEffect, useId, useRef } from 'react'
import { incompleteVideos, isFullyWatched } from '../../api/playlist-watch.ts'
import { formatDuration } from '../../ui/dates/format.ts'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import { useSubscribable } from '../../ui/hooks/use-subscribable.ts'
import { useCredit, usePlayed } from './credit-context.tsx'
import { playlistFigures } from './credit-figures.ts'
import { describeGaps } from './describe-playlist-watch.ts'
import { gapsOfVideo } from './gap-tour.ts'
import styles from './watch-credit.module.css'

interface PlaylistEndProps {
  onDone: () => void
  backLabel?: string | undefined
}

/**
 * The message at the end of the playlist. It congratulates only once the server says that the
 * playlist is completed; else it says what is missing, or why that is not known yet. A modal dialog
 * blocks the rest of the page, so it waits until an open attention check is answered.
 */
export function PlaylistEnd(props: PlaylistEndProps) {
  useCompletionNotice()
  const { playlistEnded, hasAttentionCheck } = useCredit().session
  return playlistEnded && !hasAttentionCheck ? <EndDialog {...props} /> : null
}

/** The last gap may be in an earlier video, far from the message at the end. */
function useCompletionNotice(): void {
  const { session, playlistWatch } = useCredit()
  const alerts = useAlerts()
  const wasIncomplete = useRef(false)
  const isCompleted = playlistWatch?.completed
  const { playlistEnded, playlist } = session
  useEffect(() => {
    if (isCompleted && wasIncomplete.current && !playlistEnded)
      alerts.succeed('Playlist completed', `You have completed “${playlist.title}”.`)
    if (isCompleted !== undefined) wasIncomplete.current = !isCompleted
  }, [isCompleted, playlistEnded, alerts, playlist.title])
}

type Outcome = 'completed' | 'incomplete' | 'offline' | 'failed' | 'waiting'

function EndDialog({ onDone, backLabel = 'Back to Dashboard' }: PlaylistEndProps) {
  const { session, playlistWatch, confirmedAt, offline, error, isFetching, refetch, gapTour } = useCredit()
  const reportedAt = useSubscribable(session.reportedAt)
  const played = usePlayed()
  const id = useId()
  const isKnown = playlistWatch !== undefined && confirmedAt >= reportedAt
  const outcome: Outcome =
    playlistWatch && isFullyWatched(playlistWatch)
      ? 'completed'
      : isKnown
        ? 'incomplete'
        : offline
          ? 'offline'
          : error && !isFetching
            ? 'failed'
            : 'waiting'
  const gaps = playlistWatch && outcome === 'incomplete' ? incompleteVideos(playlistWatch).flatMap(gapsOfVideo) : []
  const playedS = played.reduce((sum, { from, to }) => sum + to - from, 0)
  const watchTime = playlistWatch ? describeWatchTime(playlistWatch, playlistWatch.watch_time + playedS) : ''
  return (
    <ModalAlert titleId={`${id}-title`} textId={`${id}-text`} onClose={onDone}>
      <h2 id={`${id}-title`}>{outcome === 'completed' ? 'Congratulations!' : 'You reached the end'}</h2>
      <div id={`${id}-text`} role="status">
        {outcome === 'completed' ? (
          <p>
            You have completed “{session.playlist.title}”. {watchTime}
          </p>
        ) : (
          <>
            <p>
              You reached the end of “{session.playlist.title}”. {watchTime}
            </p>
            <p>{describe(outcome, playlistWatch)}</p>
          </>
        )}
      </div>
      <div className={styles.tour}>
        {gaps.length > 0 ? (
          <Button autoFocus onClick={() => gapTour.start(gaps, { atEnd: 'finish' })}>
            Watch what is missing
          </Button>
        ) : null}
        {outcome === 'failed' ? (
          <Button autoFocus onClick={() => void refetch()}>
            Try Again
          </Button>
        ) : null}
        <Button
          variant={gaps.length > 0 || outcome === 'failed' ? 'default' : 'filled'}
          onClick={onDone}
          autoFocus={outcome === 'completed'}
        >
          {backLabel}
        </Button>
      </div>
    </ModalAlert>
  )
}

/** Other figures beside it count each second of a video once. */
function describeWatchTime(playlistWatch: PlaylistWatch, watchTime: number): string {
  const isRepeated = Math.floor(watchTime) > Math.ceil(playlistFigures(playlistWatch).watchedS)
  return `Total watch time: ${formatDuration(watchTime)}${isRepeated ? ', with what you watched again' : ''}.`
}

function describe(outcome: Exclude<Outcome, 'completed'>, playlistWatch: PlaylistWatch | undefined): string {
  switch (outcome) {
    case 'incomplete':
      return playlistWatch ? describeGaps(incompleteVideos(playlistWatch)) : ''
    case 'offline':
      return 'You are offline. Your watch time is saved on this device and sent when you reconnect. Then you see here whether anything is missing.'
    case 'failed':
      return 'Your watch time is saved, but it could not be checked whether anything is missing.'
    case 'waiting':
      return 'Checking whether anything is missing…'
  }
}

interface ModalAlertProps {
  titleId: string
  textId: string
  onClose: () => void
  children: React.ReactNode
}

/** The browser's own modal dialog, which traps the focus and handles Escape. */
function ModalAlert({ titleId, textId, onClose, children }: ModalAlertProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    if (!element || element.open) return
    if (element.showModal) element.showModal()
    else element.open = true
  }, [])
  return (
    <dialog
      ref={dialog}
      role="alertdialog"
      aria-labelledby={titleId}
      aria-describedby={textId}
      className={styles.dialog}
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
    >
      {children}
    </dialog>
  )
}
