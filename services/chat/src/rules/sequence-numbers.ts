/** A range of sequence numbers, both ends included. */
export interface SequenceRange {
  from: number
  to: number
}

/**
 * The page of a room that ends before a message, or with the newest one. Sequence numbers have no
 * gaps and never change, so pages neither skip nor repeat a message while others arrive.
 */
export function pageBefore(lastNumber: number, before: number | undefined, limit: number): SequenceRange | undefined {
  const to = Math.min(lastNumber, (before ?? Number.POSITIVE_INFINITY) - 1)
  return to < 1 ? undefined : { from: Math.max(1, to - limit + 1), to }
}

/** The new read position, bounded by the newest message; undefined when it does not advance. */
export function advanceReadPosition(current: number, lastNumber: number, upTo: number | undefined): number | undefined {
  const next = Math.min(upTo ?? lastNumber, lastNumber)
  return next > current ? next : undefined
}
