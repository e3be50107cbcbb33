import { useEffect, useRef, useState } from 'react'
import type { Subscribable } from '../../ui/subscribable.ts'
import { followTour, type Gap, type GapTour, startTour } from './gap-tour.ts'

export interface GapPlayer {
  clock: Subscribable<{ position: number; duration: number }>
  seek: (seconds: number) => void
  play: () => void
  pause: () => void
}

/** Plays only the gaps of the shown video, and pauses after the last one. Ends with the video. */
export function useGapTour(videoId: string, player: GapPlayer) {
  const [touring, setTouring] = useState<{ videoId: string; tour: GapTour }>()
  const tour = touring?.videoId === videoId ? touring.tour : undefined
  const latest = useRef({ player, tour })
  latest.current = { player, tour }
  const { clock } = player
  const on = tour !== undefined

  useEffect(() => {
    if (!on) return
    return clock.subscribe(() => {
      const { player, tour } = latest.current
      if (!tour) return
      const { position, duration } = clock.get()
      const move = followTour(tour, position, duration, Date.now())
      if (move.type === 'stay') return
      if (move.type === 'jump') {
        latest.current.tour = move.tour
        setTouring({ videoId, tour: move.tour })
        player.seek(move.to)
        return
      }
      latest.current.tour = undefined
      setTouring(undefined)
      if (move.type === 'finish') player.pause()
    })
  }, [on, clock, videoId])

  return {
    tour,
    start(gaps: readonly Gap[], index = 0) {
      const move = startTour(gaps, Date.now(), index)
      setTouring({ videoId, tour: move.tour })
      player.seek(move.to)
      player.play()
    },
    stop: () => setTouring(undefined),
  }
}
