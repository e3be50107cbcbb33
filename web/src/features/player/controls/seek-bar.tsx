import { type CSSProperties, type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { formatPosition } from '../../../ui/dates/format.ts'
import { useSubscribable } from '../../../ui/hooks/use-subscribable.ts'
import classes from './controls.module.css'
import { SeekPreview } from './seek-preview.tsx'
import { type PositionSource, usePosition } from './use-position.ts'

interface SeekBarProps {
  source: PositionSource
  disabled: boolean
  /** The file to show pictures of while a mouse points at the bar. */
  previewUrl: string | undefined
  /** The watch strip of the video. */
  strip: ReactNode
  onSeek: (seconds: number) => void
}

const percentOf = (seconds: number, duration: number) =>
  duration > 0 ? Math.min(100, Math.max(0, (seconds / duration) * 100)) : 0

/** The watch strip with a thumb. A transparent slider above it takes the pointer and the keys. */
export function SeekBar({ source, disabled, previewUrl, strip, onSeek }: SeekBarProps) {
  const { position, duration } = useSubscribable(source.clock)
  const [dragged, setDragged] = useState<number>()
  const [hovered, setHovered] = useState<{ seconds: number; byMouse: boolean }>()
  const input = useRef<HTMLInputElement>(null)
  const rail = useRef<HTMLDivElement>(null)
  const seek = useRef(onSeek)
  seek.current = onSeek

  const moveThumb = (seconds: number, length: number) => {
    if (rail.current) rail.current.style.transform = `translateX(${percentOf(dragged ?? seconds, length)}%)`
  }
  usePosition(source, moveThumb)
  useEffect(() => {
    if (dragged !== undefined && rail.current)
      rail.current.style.transform = `translateX(${percentOf(dragged, duration)}%)`
  }, [dragged, duration])

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

  const hover = (event: PointerEvent<HTMLInputElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    if (width === 0) return
    const seconds = Math.min(1, Math.max(0, (event.clientX - left) / width)) * duration
    setHovered({ seconds, byMouse: event.pointerType === 'mouse' })
  }

  const shown = Math.min(dragged ?? position, duration)
  return (
    <div className={classes.seek} data-disabled={disabled || undefined}>
      <div className={classes.seekStrip}>{strip}</div>
      <div ref={rail} className={classes.rail}>
        <div className={classes.thumb} />
      </div>
      {hovered && !disabled && (
        <>
          {previewUrl && hovered.byMouse && (
            <SeekPreview
              key={previewUrl}
              url={previewUrl}
              seconds={hovered.seconds}
              style={{ '--seek-at': `${percentOf(hovered.seconds, duration)}%` } as CSSProperties}
            />
          )}
          <span
            className={classes.hoverTime}
            style={{ insetInlineStart: `${percentOf(hovered.seconds, duration)}%` }}
            aria-hidden="true"
          >
            {formatPosition(hovered.seconds)}
          </span>
        </>
      )}
      <input
        ref={input}
        type="range"
        data-seek=""
        className={classes.slider}
        aria-label="Position in the video"
        aria-valuetext={`${formatPosition(shown)} of ${formatPosition(duration)}`}
        min={0}
        max={duration || 1}
        step="any"
        value={shown}
        disabled={disabled}
        onChange={event => setDragged(Number(event.currentTarget.value))}
        onPointerMove={hover}
        onPointerLeave={() => setHovered(undefined)}
      />
    </div>
  )
}
