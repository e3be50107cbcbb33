import { type ReactNode, useRef } from 'react'
import { formatPosition } from '../../../ui/format.ts'
import type { Subscribable } from '../../../ui/subscribable.ts'
import type { Playback } from '../machine/playback-types.ts'
import type { SessionRunner, SessionView } from '../session/session-runner.ts'
import classes from './controls.module.css'
import { NextIcon, PauseIcon, PlayIcon, ShrinkIcon, TheatreIcon } from './player-icons.tsx'
import { SeekBar } from './seek-bar.tsx'
import { type PositionSource, usePosition } from './use-position.ts'
import type { Theatre } from './use-theatre.ts'

interface ControlBarProps {
  view: SessionView
  clock: Subscribable<Playback>
  runner: SessionRunner | undefined
  commentBadge: ReactNode
  /** The watch strip of the video, inside the seek bar. */
  strip: ReactNode
  theatre: Theatre
  /** Under the picture, because YouTube forbids covering its player; else over its bottom. */
  docked: boolean
}

const seekable = new Set(['starting', 'blocked', 'playing', 'buffering', 'paused'])

export function ControlBar({ view, clock, runner, commentBadge, strip, theatre, docked }: ControlBarProps) {
  const active = seekable.has(view.phase)
  const isPlaying = active && view.intent === 'play' && view.phase !== 'blocked'
  const hasNext = view.playlist.videos.some(
    (video, index) => index > view.index && !view.unavailable.includes(video.id),
  )
  // After a seek the player may still report its old position.
  const source = { clock, runner, isMoving: view.phase === 'playing' && view.settling === undefined }
  return (
    <div className={docked ? classes.barDocked : classes.barOver}>
      <SeekBar source={source} disabled={!active} strip={strip} onSeek={to => runner?.send({ type: 'seek', to })} />
      <div className={classes.controls}>
        <Control
          label={isPlaying ? 'Pause' : 'Play'}
          disabled={!active}
          onClick={() => runner?.send({ type: 'toggle' })}
        >
          {isPlaying ? <PauseIcon /> : <PlayIcon />}
        </Control>
        <ClockLabel source={source} />
        <span className={classes.spacer} />
        {commentBadge}
        <span className={classes.badge}>
          <span className="wl-hidden">Video </span>
          {view.index + 1} / {view.playlist.videos.length}
        </span>
        <Control
          label="Skip to next video"
          disabled={!hasNext || (!active && view.phase !== 'countdown')}
          onClick={() => runner?.send({ type: 'skip' })}
        >
          <NextIcon />
        </Control>
        <Control label={theatre.isOn ? 'Leave theatre view' : 'Theatre view'} onClick={theatre.toggle}>
          {theatre.isOn ? <ShrinkIcon /> : <TheatreIcon />}
        </Control>
      </div>
    </div>
  )
}

interface ControlProps {
  /** The name for screen readers, and the tooltip. */
  label: string
  disabled?: boolean
  onClick: () => void
  children: ReactNode
}

function Control({ label, disabled = false, onClick, children }: ControlProps) {
  return (
    <button
      type="button"
      className={classes.control}
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
    >
      {children}
    </button>
  )
}

function ClockLabel({ source }: { source: PositionSource }) {
  const label = useRef<HTMLSpanElement>(null)
  usePosition(source, (position, duration) => {
    const text = `${formatPosition(position)} / ${formatPosition(duration)}`
    if (label.current && label.current.textContent !== text) label.current.textContent = text
  })
  return <span ref={label} className={classes.time} />
}
