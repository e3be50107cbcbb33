/** From and to, in seconds of the video. */
export type Gap = readonly [number, number]

/** Playing just the gaps: one after the other, then it is over. */
export interface GapTour {
  gaps: readonly Gap[]
  /** Of the gap that plays. */
  index: number
  /** When it was jumped to, ms. */
  jumpedAt: number
}

export type GapMove =
  | { type: 'stay' }
  | { type: 'jump'; to: number; tour: GapTour }
  /** The last gap is played. */
  | { type: 'finish' }
  /** The viewer went somewhere else: their wish counts. */
  | { type: 'give-up' }

/** Players land near where they are sent; a little more than the gap is played, so that nothing of it stays open. */
const marginS = 0.5
/** So long a player may still tell its old position after a jump. */
const landingMs = 1_500
/** Farther off than this from its gap, the viewer has moved. */
const strayS = 5

/** `index`: the gap to begin with. */
export function startTour(gaps: readonly Gap[], now: number, index = 0): Extract<GapMove, { type: 'jump' }> {
  return jump({ gaps, index, jumpedAt: now }, now)
}

function jump(tour: GapTour, now: number): Extract<GapMove, { type: 'jump' }> {
  const [from] = tour.gaps[tour.index]!
  return { type: 'jump', to: Math.max(0, from - marginS), tour: { ...tour, jumpedAt: now } }
}

/** What to do now that the video stands at `position`. `duration` 0: not known. */
export function followTour(tour: GapTour, position: number, duration: number, now: number): GapMove {
  if (now - tour.jumpedAt < landingMs) return { type: 'stay' }
  const [from, to] = tour.gaps[tour.index]!
  const end = duration > 0 ? Math.min(to + marginS, duration) : to + marginS
  if (position < from - strayS || position > end + strayS) return { type: 'give-up' }
  if (position < end) return { type: 'stay' }
  const next = tour.index + 1
  return next < tour.gaps.length ? jump({ ...tour, index: next }, now) : { type: 'finish' }
}
