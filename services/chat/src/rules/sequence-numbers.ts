/** Places of messages, the first and the last included. */
export interface Range {
  from: number
  to: number
}

/**
 * The page of a room that ends before a place, or with its newest message. Places are dense and a message keeps its own, so pages
 * neither leave out nor repeat any, whatever arrives meanwhile.
 */
export function pageBefore(lastSeq: number, before: number | undefined, limit: number): Range | undefined {
  const to = Math.min(lastSeq, (before ?? Number.POSITIVE_INFINITY) - 1)
  return to < 1 ? undefined : { from: Math.max(1, to - limit + 1), to }
}

/** How far somebody has read now; undefined when that is no further than before. Nobody has read what is not there. */
export function readOn(readSeq: number, lastSeq: number, upTo: number | undefined): number | undefined {
  const seq = Math.min(upTo ?? lastSeq, lastSeq)
  return seq > readSeq ? seq : undefined
}
