import type { VideoWatch } from '@watchline/contracts/engagement'

/** A part of a video that is not credited yet, in seconds. */
export interface Gap {
  videoId: string
  from: number
  to: number
}

/** A tour plays only the gaps, one after the other. */
export interface GapTour {
  gaps: readonly Gap[]
  /** Index of the playing gap. */
  index: number
  /** The time of the jump to it, ms. */
  jumpedAt: number
}

export type GapMove =
  | { type: 'stay' }
  | { type: 'jump'; videoId: string; to: number; tour: GapTour }
  /** The last gap was played. */
  | { type: 'finish' }
  /** The viewer moved elsewhere, which ends the tour. */
  | { type: 'give-up' }

export interface TourPlayback {
  videoId: string
  /** The video has ended. */
  ended: boolean
  position: number
  /** 0: unknown. */
  duration: number
}

/** Players land near the requested second, so slightly more than the gap is played. */
const marginS = 0.5
/** The time after a jump in which a player may still report its old position. */
const landingMs = 1_500
/** A larger distance from the gap means that the viewer moved. */
const maxDistanceS = 5

export function gapsOfVideo({ video_id: videoId, missing }: VideoWatch): Gap[] {
  return missing.map(([from, to]) => ({ videoId, from, to }))
}

/** `index`: the first gap to play. */
export function startTour(gaps: readonly Gap[], now: number, index = 0): Extract<GapMove, { type: 'jump' }> {
  return jump({ gaps, index, jumpedAt: now }, now)
}

function jump(tour: GapTour, now: number): Extract<GapMove, { type: 'jump' }> {
  const { videoId, from } = tour.gaps[tour.index]!
  return { type: 'jump', videoId, to: Math.max(0, from - marginS), tour: { ...tour, jumpedAt: now } }
}

/** The next step of the tour. */
export function followTour(tour: GapTour, playback: TourPlayback, now: number): GapMove {
  const { videoId, from, to } = tour.gaps[tour.index]!
  const isHere = playback.videoId === videoId
  if (!(isHere && playback.ended)) {
    if (now - tour.jumpedAt < landingMs) return { type: 'stay' }
    const { position, duration } = playback
    const end = duration > 0 ? Math.min(to + marginS, duration) : to + marginS
    if (!isHere || position < from - maxDistanceS || position > end + maxDistanceS) return { type: 'give-up' }
    if (position < end) return { type: 'stay' }
  }
  const next = tour.index + 1
  return next < tour.gaps.length ? jump({ ...tour, index: next }, now) : { type: 'finish' }
}
