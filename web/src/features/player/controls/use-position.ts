import { useEffect, useRef, useState } from 'react'
import { createSubscribable, type Subscribable } from '../../../ui/hooks/subscribable.ts'
import type { Playback } from '../machine/playback-types.ts'
import type { SessionRunner } from '../session/session-runner.ts'

export interface PositionSource {
  clock: Subscribable<Playback>
  runner: SessionRunner | undefined
  /** The video plays, so that the player's own time is newer than the clock's. */
  isMoving: boolean
}

/**
 * Shows the position (s) and duration (s): in every frame while the video plays, else when they
 * change. `show` writes to the page itself, because React would be too slow for every frame.
 */
export function usePosition(
  { clock, runner, isMoving }: PositionSource,
  show: (position: number, duration: number) => void,
): void {
  const latest = useRef(show)
  useEffect(() => {
    latest.current = show
  })
  useEffect(() => {
    const update = () => {
      const { position, duration } = clock.get()
      latest.current(isMoving && runner ? runner.position() : position, duration)
    }
    update()
    const stop = clock.subscribe(update)
    let frame = 0
    const step = () => {
      update()
      frame = requestAnimationFrame(step)
    }
    if (isMoving) frame = requestAnimationFrame(step)
    return () => {
      stop()
      cancelAnimationFrame(frame)
    }
  }, [clock, runner, isMoving])
}

/** The whole second of the position, for screens that would render too often with every frame. */
export function useShownSecond(source: PositionSource): Subscribable<number> {
  const [second] = useState(() => createSubscribable(Math.floor(source.clock.get().position)))
  usePosition(source, position => second.set(Math.floor(position)))
  return second
}
