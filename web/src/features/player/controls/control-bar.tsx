import { type ReactNode, useEffect, useRef, useState } from 'react'
import { formatPosition } from '../../../ui/format.ts'
import type { Subscribable } from '../../../ui/subscribable.ts'
import { useSubscribable } from '../../../ui/use-subscribable.ts'
import type { Playback } from '../machine/playback-types.ts'
import classes from '../player.module.css'
import type { SessionRunner, SessionView } from '../session/session-runner.ts'
import { NextIcon, PauseIcon, PlayIcon } from './player-icons.tsx'

interface ControlBarProps {
  view: SessionView
  clock: Subscribable<Playback>
  runner: SessionRunner | undefined
  commentBadge: ReactNode
  /** Under the picture, because YouTube forbids covering its player; else over its bottom. */
  docked: boolean
}

const seekable = new Set(['starting', 'blocked', 'playing', 'buffering', 'paused'])

export function ControlBar({ view, clock, runner, commentBadge, docked }: ControlBarProps) {
  const active = seekable.has(view.phase)
  const isPlaying = active && view.intent === 'play' && view.phase !== 'blocked'
  const hasNext = view.playlist.videos.some(
    (video, index) => index > view.index && !view.unavailable.includes(video.id),
  )
  return (
    <div className={docked ? classes.barDocked : classes.barOver}>
      <ProgressBar clock={clock} disabled={!active} onSeek={to => runner?.send({ type: 'seek', to })} />
      <div className={classes.controls}>
        <button
          type="button"
          className={classes.control}
          aria-label={isPlaying ? 'Pause' : 'Play'}
          disabled={!active}
          onClick={() => runner?.send({ type: 'toggle' })}
        >
          {isPlaying ? <PauseIcon /> : <PlayIcon />}
        </button>
        <ClockLabel clock={clock} />
        <span className={classes.spacer} />
        {commentBadge}
        <span className={classes.badge}>
          <span className={classes.unseen}>Video </span>
          {view.index + 1} / {view.playlist.videos.length}
        </span>
        <button
          type="button"
          className={classes.control}
          aria-label="Skip to next video"
          disabled={!hasNext || (!active && view.phase !== 'countdown')}
          onClick={() => runner?.send({ type: 'skip' })}
        >
          <NextIcon />
        </button>
      </div>
    </div>
  )
}

function ClockLabel({ clock }: { clock: Subscribable<Playback> }) {
  const text = useSubscribable(
    clock,
    playback => `${formatPosition(playback.position)} / ${formatPosition(playback.duration)}`,
  )
  return <span className={classes.time}>{text}</span>
}

interface ProgressBarProps {
  clock: Subscribable<Playback>
  disabled: boolean
  onSeek: (seconds: number) => void
}

function ProgressBar({ clock, disabled, onSeek }: ProgressBarProps) {
  const { position, duration } = useSubscribable(clock)
  const [dragged, setDragged] = useState<number>()
  const input = useRef<HTMLInputElement>(null)
  const seek = useRef(onSeek)
  seek.current = onSeek

  // React's onChange fires at every move of the pointer; the element's own `change` at its release.
  useEffect(() => {
    const element = input.current
    const commit = () => {
      setDragged(undefined)
      seek.current(Number(element?.value))
    }
    element?.addEventListener('change', commit)
    return () => element?.removeEventListener('change', commit)
  }, [])

  const shown = Math.min(dragged ?? position, duration)
  return (
    <input
      ref={input}
      type="range"
      className={classes.progress}
      aria-label="Position in the video"
      aria-valuetext={`${formatPosition(shown)} of ${formatPosition(duration)}`}
      min={0}
      max={duration || 1}
      step="any"
      value={shown}
      disabled={disabled}
      style={{ '--played': `${duration > 0 ? (shown / duration) * 100 : 0}%` } as React.CSSProperties}
      onChange={event => setDragged(Number(event.currentTarget.value))}
    />
  )
}
