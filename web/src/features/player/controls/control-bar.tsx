import { loadableUrlOf } from '@watchline/contracts/media'
import { type ReactNode, useRef } from 'react'
import { formatPosition } from '../../../ui/dates/format.ts'
import { isHls } from '../../../ui/progress/is-hls.ts'
import { isSeekable } from '../machine/playback-state.ts'
import type { SessionRunner, SessionView } from '../session/session-runner.ts'
import type { SessionVideo } from '../session-playlist.ts'
import { Control } from './control.tsx'
import classes from './controls.module.css'
import { type MoreControlsProps, nameKeys, SoundControls, StepControls, ViewControls } from './more-controls.tsx'
import { NextIcon, PauseIcon, PlayIcon } from './player-icons.tsx'
import type { PlayerSettings } from './player-settings.ts'
import { SeekBar } from './seek-bar.tsx'
import type { PlayerActions } from './shortcuts.ts'
import { isUnreachable } from './stage-panel.tsx'
import { type PositionSource, usePosition } from './use-position.ts'

interface ControlBarProps {
  view: SessionView
  source: PositionSource
  runner: SessionRunner | undefined
  commentBadge: ReactNode
  /** The watch strip of the video, inside the seek bar. */
  strip: ReactNode
  actions: PlayerActions
  settings: PlayerSettings
  /** Under the picture, because YouTube forbids covering its player; else over its bottom. */
  docked: boolean
  /** Undefined on a small picture of a phone, where `MoreControls` stand below the picture. */
  more: MoreControlsProps | undefined
}

/** The seek bar, and below it the controls that the session cannot do without. */
export function ControlBar(props: ControlBarProps) {
  const { view, source, runner, commentBadge, strip, actions, settings, docked, more } = props
  const active = isSeekable(view)
  // The panel of a video that does not load says what can be done.
  const isUnreached = isUnreachable(view)
  const isPlaying = active && !isUnreached && view.intent === 'play' && view.phase !== 'blocked'
  const hasNext = view.playlist.videos.some(
    (video, index) => index > view.index && !view.unavailable.includes(video.id),
  )
  const keyOf = nameKeys(settings)
  return (
    <div className={docked ? classes.barDocked : classes.barOver}>
      <SeekBar
        source={source}
        disabled={!active}
        previewUrl={previewUrlOf(view.playlist.videos[view.index])}
        strip={strip}
        onSeek={to => runner?.send({ type: 'seek', to })}
      />
      <div className={classes.controls}>
        <Control
          label={isPlaying ? 'Pause' : 'Play'}
          shortcut={keyOf('toggle')}
          disabled={!active || isUnreached}
          onClick={actions.toggle}
        >
          {isPlaying ? <PauseIcon /> : <PlayIcon />}
        </Control>
        {more && <StepControls {...more} />}
        {more && <SoundControls {...more} />}
        <ClockLabel source={source} />
        <span className={classes.spacer} />
        {commentBadge}
        <span className={classes.badge}>
          <span className="wl-hidden">Video </span>
          {view.index + 1} / {view.playlist.videos.length}
        </span>
        <Control
          label="Skip to next video"
          shortcut={keyOf('skip')}
          disabled={!hasNext || (!active && view.phase !== 'countdown')}
          onClick={actions.skip}
        >
          <NextIcon />
        </Control>
        {more && <ViewControls {...more} />}
      </div>
    </div>
  )
}

/** YouTube has no pictures for others, and HLS would need a second download of its own. */
function previewUrlOf(video: SessionVideo | undefined): string | undefined {
  const url = video?.provider === 'file' ? loadableUrlOf(video) : undefined
  return url && !isHls(url) ? url : undefined
}

function ClockLabel({ source }: { source: PositionSource }) {
  const label = useRef<HTMLSpanElement>(null)
  usePosition(source, (position, duration) => {
    const text = `${formatPosition(position)} / ${formatPosition(duration)}`
    if (label.current && label.current.textContent !== text) label.current.textContent = text
  })
  return <span ref={label} className={classes.time} />
}
