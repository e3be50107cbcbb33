import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useMemo, useRef } from 'react'
import { type TabSession, useSessionInTab } from '../../../ui/frame/tab-status.ts'
import { useSubscribable } from '../../../ui/hooks/use-subscribable.ts'
import { ControlBar } from '../controls/control-bar.tsx'
import { MoreControls } from '../controls/more-controls.tsx'
import { ShortcutHelp } from '../controls/shortcut-help.tsx'
import { replacesPicture, StagePanel } from '../controls/stage-panel.tsx'
import { useBlockedKeys } from '../controls/use-blocked-keys.ts'
import { useIdleControls } from '../controls/use-idle-controls.ts'
import { usePicturePress } from '../controls/use-picture-press.ts'
import { usePlayerControls } from '../controls/use-player-controls.ts'
import { useShownSecond } from '../controls/use-position.ts'
import { landscapePhone } from '../controls/use-theatre.ts'
import { isSeekable } from '../machine/playback-state.ts'
import type { Phase } from '../machine/playback-types.ts'
import classes from '../player.module.css'
import type { SessionPlaylist } from '../session-playlist.ts'
import { DescriptionLine } from '../transcript/description-line.tsx'
import { TranscriptCard } from '../transcript/transcript-card.tsx'
import { AttentionQuestion } from './attention-question.tsx'
import { createInitialSources } from './initial-sources.ts'
import { NoPlaylist } from './no-playlist.tsx'
import { RegionTabs } from './region-tabs.tsx'
import type { SessionContext } from './session-context.ts'
import { SessionInfo } from './session-info.tsx'
import { ArrivalBanner, OfflineLine, StatusLine } from './session-notices.tsx'
import { PlaySign, StartPoster } from './start-poster.tsx'
import { type SessionInput, useSession } from './use-session.ts'
import type { RenderVideos } from './video-choice.tsx'

export interface MonitoredSessionProps extends Omit<SessionInput, 'playlist'> {
  playlist: SessionPlaylist | null
  onBack: () => void
  backLabel?: string
  /** Loads the playlist again, which has changed, and begins another session with it. */
  onReload: () => void
  /** The credited share of the playlist, in the card beside the player. */
  progress?: ReactNode
  /** Renders videos of the playlist to choose from. */
  renderVideos?: RenderVideos
  /** Puts something around the whole screen, for example the provider of its figures. */
  wrap?: (session: SessionContext, screen: ReactNode) => ReactNode
  comments?: (session: SessionContext) => ReactNode
  creditedRanges?: (session: SessionContext) => ReactNode
  /** The watch strip of the video, inside the seek bar. */
  seekStrip?: (session: SessionContext) => ReactNode
  /** Beside the clock in the control bar. */
  commentBadge?: (session: SessionContext) => ReactNode
  /** The fastest playback that the server credits; undefined until it is known. */
  maxRate?: number | undefined
  /** The first tabs on a phone. On larger screens the caller renders their content elsewhere. */
  firstTabs?: readonly [name: string, content: ReactNode][]
}

const finished: ReadonlySet<Phase> = new Set<Phase>([
  'empty',
  'completed',
  'playlist-changed',
  'refused',
  'unassigned',
  'unplayable',
  'left',
])
const stoppable: ReadonlySet<Phase> = new Set<Phase>(['playing', 'buffering'])
/** On such screens the regions beside the player are tabs. */
export const phone = '(max-width: 48em)'
/** There is no room for all controls on such a small picture. */
const uprightPhone = `${phone} and (orientation: portrait)`

export function MonitoredSession({ playlist, ...props }: MonitoredSessionProps) {
  const explainsBlockedKeys = useBlockedKeys()
  if (!playlist || playlist.videos.length === 0) return <NoPlaylist onBack={props.onBack} />
  return <ActiveSession key={playlist.id} playlist={playlist} explainsBlockedKeys={explainsBlockedKeys} {...props} />
}

interface ActiveSessionProps extends Omit<MonitoredSessionProps, 'playlist'> {
  playlist: SessionPlaylist
  explainsBlockedKeys: boolean
}

function ActiveSession({
  playlist,
  onBack,
  backLabel = 'Back to Dashboard',
  onReload,
  progress,
  renderVideos,
  wrap,
  comments,
  creditedRanges,
  commentBadge,
  seekStrip,
  maxRate,
  firstTabs = [],
  explainsBlockedKeys,
  ...input
}: ActiveSessionProps) {
  const player = useRef<HTMLElement>(null)
  const host = useRef<HTMLDivElement>(null)
  const session = useSession(host, { playlist, ...input })
  const runner = session?.runner
  const idle = useMemo(() => createInitialSources(playlist), [playlist])
  const view = useSubscribable(runner?.view ?? idle.view)
  const attentionChecks = session?.attentionChecks ?? idle.attentionChecks
  const check = useSubscribable(attentionChecks.shown)
  const clock = runner?.clock ?? idle.clock
  useSessionInTab(tabSessionOf(view.phase))
  const onPhone = useMediaQuery(phone, false, { getInitialValueInEffect: false })
  const isIdle = useIdleControls(player, view.phase === 'playing')
  const isUpright = useMediaQuery(uprightPhone, false, { getInitialValueInEffect: false })
  const inLandscape = useMediaQuery(landscapePhone, false, { getInitialValueInEffect: false })
  const { help, ...controlProps } = usePlayerControls(player, runner, maxRate)
  const isSmall = isUpright || (inLandscape && !controlProps.inTheatre)
  usePicturePress(player, isIdle, controlProps.actions.toggle)

  // After a seek the player may still report its old position.
  const source = { clock, runner, isMoving: view.phase === 'playing' && view.settling === undefined }
  const shownSecond = useShownSecond(source)

  const video = playlist.videos[view.index] ?? playlist.videos[0]!
  const seek = (to: number) => runner?.send({ type: 'seek', to })
  const context: SessionContext = {
    playlist,
    videoId: video.id,
    videoIndex: view.index,
    videoEnded: view.phase === 'countdown' || view.phase === 'completed',
    playlistEnded: view.phase === 'completed',
    hasAttentionCheck: check !== undefined,
    clock,
    shownSecond,
    position: () => runner?.position() ?? 0,
    seek,
    pause: () => {
      const state = runner?.view.get()
      if (state && stoppable.has(state.phase)) runner?.send({ type: 'toggle' })
    },
    goTo: (videoId, to) => {
      const index = playlist.videos.findIndex(({ id }) => id === videoId)
      runner?.send({ type: 'go-to', index, to })
    },
    finish: () => runner?.send({ type: 'finish' }),
    latestAnswer: session?.latestAnswer ?? idle.latestAnswer,
    reportedAt: session?.reportedAt ?? idle.reportedAt,
    played: session?.played ?? idle.played,
  }
  const isYouTube = video.provider === 'youtube'
  const hidePicture = replacesPicture(view)
  const startPoster = !hidePicture && <StartPoster view={view} clock={clock} />
  // YouTube forbids covering its player, and on a phone the words of a panel need the room.
  const hasBannerAbove = isYouTube || (onPhone && hidePicture)
  const banner = <ArrivalBanner view={view} runner={runner} />
  // The next video does not interrupt people who write.
  const stopCountdown = () => {
    if (view.phase === 'countdown') runner?.send({ type: 'suspend' })
  }
  const { captions, settings } = controlProps
  const regions: [string, ReactNode][] = [
    ['Comments', comments?.(context)],
    ['Credited', creditedRanges?.(context)],
    // It appears when the captions have loaded, and must not move the others.
    [
      'Transcript',
      captions.transcript.length > 0 && (
        <TranscriptCard key={video.id} captions={captions} source={source} disabled={!isSeekable(view)} onSeek={seek} />
      ),
    ],
  ]
  const filled = regions.filter(([, region]) => region !== undefined && region !== null && region !== false)
  const hasTabs = onPhone && filled.length + firstTabs.length > 0
  const more = { ...controlProps, isSeekable: isSeekable(view) }
  const controls = (
    <ControlBar
      view={view}
      source={source}
      runner={runner}
      commentBadge={commentBadge?.(context)}
      strip={seekStrip?.(context)}
      actions={controlProps.actions}
      settings={settings}
      docked={isYouTube}
      more={isSmall ? undefined : more}
    />
  )
  const info = <SessionInfo view={view} progress={progress} renderVideos={renderVideos} titleOrder={hasTabs ? 2 : 1} />

  const sessionScreen = (
    <div className={classes.session} data-wide-screen="" onInput={stopCountdown}>
      {/* Tabs hide the title of the playlist; the page keeps its heading. */}
      {hasTabs && <h1 className="wl-hidden">{playlist.title}</h1>}
      <div className={classes.top}>
        <Button
          variant="subtle"
          className={classes.back}
          leftSection={<span aria-hidden="true">←</span>}
          onClick={onBack}
        >
          {backLabel}
        </Button>
        {hasBannerAbove && banner}
        <ShortcutHelp {...help} />
        <OfflineLine outbox={session?.outbox ?? idle} />
      </div>
      <div className={classes.frame}>
        <section
          ref={player}
          aria-label="Player"
          tabIndex={-1}
          className={classes.stage}
          data-phase={view.phase}
          data-idle={isIdle || undefined}
          data-theatre={controlProps.inTheatre || undefined}
        >
          <div className={classes.picture}>
            {isYouTube && startPoster}
            <div ref={host} className={classes.host} data-hidden={hidePicture || undefined} />
            {!isYouTube && startPoster}
            {!isYouTube && view.phase === 'blocked' && <PlaySign />}
            {hidePicture && <StagePanel {...{ view, runner, onBack, backLabel, onReload }} person={input.person} />}
            {!hasBannerAbove && banner}
            {/* On a phone the words and buttons of a panel need the height of the bar. */}
            {!isYouTube && !(onPhone && hidePicture) && controls}
          </div>
          <DescriptionLine descriptions={captions.descriptions} source={source} isShown={settings.descriptions} />
          <StatusLine view={view} explainsBlockedKeys={explainsBlockedKeys} />
          {isYouTube && controls}
          {isSmall && <MoreControls {...more} />}
        </section>
        <div className={classes.side}>
          {check && (
            <AttentionQuestion
              key={check.id}
              check={check}
              checks={attentionChecks}
              isPlaying={stoppable.has(view.phase)}
              playlistEnded={context.playlistEnded}
              pause={context.pause}
              resume={() => {
                if (runner?.view.get().phase === 'paused') runner.send({ type: 'toggle' })
              }}
              suspendTheatre={controlProps.suspendTheatre}
              restoreTheatre={controlProps.restoreTheatre}
            />
          )}
          {hasTabs ? <RegionTabs regions={[...firstTabs, ['Playlist', info], ...filled]} /> : info}
        </div>
        {!onPhone && filled.length > 0 && (
          <div className={classes.below}>
            {filled.map(([name, region]) => (
              <div key={name}>{region}</div>
            ))}
          </div>
        )}
      </div>
    </div>
  )
  return wrap ? wrap(context, sessionScreen) : sessionScreen
}

function tabSessionOf(phase: Phase): TabSession {
  if (finished.has(phase)) return 'none'
  return stoppable.has(phase) || phase === 'starting' || phase === 'countdown' ? 'running' : 'paused'
}
