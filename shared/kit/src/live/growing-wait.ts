/** The waits between attempts at one secret. Times in ms. */
export interface GrowingWait {
  /** This many attempts need no wait between them. */
  freeAttempts: number
  /** The wait after the last free attempt; it doubles with every further attempt. */
  firstWaitMs: number
  longestWaitMs: number
  /** After this long without an attempt, counting begins again. */
  forgetAfterMs: number
}

/** The attempts at one secret so far. Times in ms. */
export interface Attempts {
  count: number
  latestAt: number
  /** The next attempt is admitted from this time on. */
  nextAt: number
}

/** The wait after the attempt with this number. */
export function waitAfter(attemptNumber: number, { freeAttempts, firstWaitMs, longestWaitMs }: GrowingWait): number {
  if (attemptNumber < freeAttempts) return 0
  return Math.min(longestWaitMs, firstWaitMs * 2 ** (attemptNumber - freeAttempts))
}

/**
 * One more attempt: the wait of a refused one, or the counted attempts of an admitted one. A
 * refused attempt does not prolong the wait. `now` in ms. The script of the Redis adapter does the
 * same.
 */
export function countAttempt(
  previous: Attempts | undefined,
  policy: GrowingWait,
  now: number,
): { waitMs: number; attempts?: Attempts } {
  if (previous && previous.nextAt > now) return { waitMs: previous.nextAt - now }
  const isKnown = previous !== undefined && now - previous.latestAt < policy.forgetAfterMs
  const count = isKnown ? previous.count + 1 : 1
  return { waitMs: 0, attempts: { count, latestAt: now, nextAt: now + waitAfter(count, policy) } }
}
