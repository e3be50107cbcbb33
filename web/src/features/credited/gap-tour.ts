/** Start and end, in seconds of the video. */
export type Gap = readonly [number, number]

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
  | { type: 'jump'; to: number; tour: GapTour }
  /** The last gap was played. */
  | { type: 'finish' }
  /** The viewer moved elsewhere, which ends the tour. */
  | { type: 'give-up' }

/** Players land near the requested second, so slightly more than the gap is played. */
const marginS = 0.5
/** The time after a jump in which a player may still report its old position. */
const landingMs = 1_500
/** A larger distance from the gap means that the viewer moved. */
const maxDistanceS = 5

/** `index`: the first gap to play. */
export function startTour(gaps: readonly Gap[], now: number, index = 0): Extract<GapMove, { type: 'jump' }> {
  return jump({ gaps, index, jumpedAt: now }, now)
}

function jump(tour: GapTour, now: number): Extract<GapMove, { type: 'jump' }> {
  const [from] = tour.gaps[tour.index]!
  return { type: 'jump', to: Math.max(0, from - marginS), tour: { ...tour, jumpedAt: now } }
}

/** The next step of the tour at `position`. `duration` 0: unknown. */
export function followTour(tour: GapTour, position: number, duration: number, now: number): GapMove {
  if (now - tour.jumpedAt < landingMs) return { type: 'stay' }
  const [from, to] = tour.gaps[tour.index]!
  const end = duration > 0 ? Math.min(to + marginS, duration) : to + marginS
  if (position < from - maxDistanceS || position > end + maxDistanceS) return { type: 'give-up' }
  if (position < end) return { type: 'stay' }
  const next = tour.index + 1
  return next < tour.gaps.length ? jump({ ...tour, index: next }, now) : { type: 'finish' }
}
