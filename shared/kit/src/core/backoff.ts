export interface BackOffOptions {
  /** The wait after the first failure, ms. */
  firstMs: number
  /** No wait is longer, ms. */
  maxMs: number
}

/**
 * The wait (ms) after that many failures in a row (1 or more): doubled with each, of which a random half is left out, so that
 * callers that failed together do not return together. Source: "equal jitter" in Exponential Backoff And Jitter, AWS
 * Architecture Blog, 2015.
 */
export function backOff(failures: number, { firstMs, maxMs }: BackOffOptions): number {
  return halfToWhole(Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30)))
}

/** A random part of a wait (ms), at least half of it. */
export function halfToWhole(ms: number): number {
  return ms * (0.5 + Math.random() / 2)
}

/** An interval (ms), up to a quarter shorter or longer: processes that started together drift apart. */
export function spread(ms: number): number {
  return ms * (0.75 + Math.random() / 2)
}
