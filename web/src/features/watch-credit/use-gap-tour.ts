import { useEffect, useRef, useState } from 'react'
import type { Subscribable } from '../../ui/hooks/subscribable.ts'
import { followTour, type Gap, type GapTour, startTour } from './gap-tour.ts'

export interface GapPlayer {
  videoId: string
  videoEnded: boolean
  clock: Subscribable<{ position: number; duration: number }>
  /** Plays a video from this second. */
  goTo: (videoId: string, seconds: number) => void
  pause: () => void
  /** Ends the playlist here. */
  finish: () => void
}

/** The action after the last gap. */
type AfterTour = 'pause' | 'finish'

export interface GapTourControl {
  tour: GapTour | undefined
  start: (gaps: readonly Gap[], options?: { index?: number; atEnd?: AfterTour }) => void
  stop: () => void
}

/** Plays only the gaps, across videos. */
export function useGapTour(player: GapPlayer): GapTourControl {
  const [current, setCurrent] = useState<{ tour: GapTour; atEnd: AfterTour }>()
  const latest = useRef({ player, current })
  latest.current = { player, current }
  const { clock, videoId, videoEnded } = player
  const on = current !== undefined

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new video and its end are steps, too
  useEffect(() => {
    if (!on) return
    const step = () => {
      const { player, current } = latest.current
      if (!current) return
      const { videoId, videoEnded: ended } = player
      const tourMove = followTour(current.tour, { videoId, ended, ...clock.get() }, Date.now())
      if (tourMove.type === 'stay') return
      const next = tourMove.type === 'jump' ? { ...current, tour: tourMove.tour } : undefined
      latest.current.current = next
      setCurrent(next)
      if (tourMove.type === 'jump') player.goTo(tourMove.videoId, tourMove.to)
      else if (tourMove.type === 'finish') player[current.atEnd]()
    }
    step()
    return clock.subscribe(step)
  }, [on, clock, videoId, videoEnded])

  return {
    tour: current?.tour,
    start(gaps, { index = 0, atEnd = 'pause' } = {}) {
      const { videoId, to, tour } = startTour(gaps, Date.now(), index)
      latest.current.current = { tour, atEnd }
      setCurrent({ tour, atEnd })
      player.goTo(videoId, to)
    },
    stop: () => setCurrent(undefined),
  }
}
