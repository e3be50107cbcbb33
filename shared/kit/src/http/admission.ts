import type { LowPriority } from '@watchline/contracts/priority'

/**
 * Refuses calls of low priority while work waits too long: first a growing share of the polls, then
 * of the reports as well. A call that somebody waits for is always admitted.
 */
export interface AdmissionControl {
  /** Records how long one piece of work waited, ms. */
  recordDelay(ms: number): void
  admits(priority: LowPriority | undefined): boolean
  /** 0: all calls are admitted. 1: all polls are refused. 2: all reports, too. */
  readonly level: number
}

export interface AdmissionOptions {
  /** An interval is overloaded if its shortest delay is above this, ms. */
  targetMs: number
  /** An interval with fewer delays is not overloaded; default 1. */
  minSamples?: number
  /** Monotonic, ms. */
  now?: () => number
  random?: () => number
}

const intervalMs = 100
/** An interval with too few delays ends after this time. */
const longestIntervalMs = 1_000
/** Continuous overload raises the level by one in this time. */
const riseMs = 1_000
/** Slower than the rise, so that the delay does not swing. */
const fallMs = 4_000
const maxLevel = 2
/** `Retry-After` of a refusal. Clients add a random part. */
export const retryAfterS = 3

/**
 * The shortest delay of an interval decides: one slow query among quick ones is no overload, and in
 * a standing queue all work waits. Source: CoDel, RFC 8289, 3.1.
 */
export function createAdmissionControl(options: AdmissionOptions): AdmissionControl {
  const { targetMs, minSamples = 1, now = () => performance.now(), random = Math.random } = options
  let level = 0
  let startedAt = now()
  let samples = 0
  let shortestMs = Number.POSITIVE_INFINITY

  function endInterval(at: number) {
    const elapsedMs = at - startedAt
    const isOverloaded = samples >= minSamples && shortestMs > targetMs
    // A long silence before the first delays must not count as a long overload. A delay proves one
    // of its own length: a stalled event loop is measured only once.
    const overloadedMs = Math.min(elapsedMs, intervalMs + shortestMs)
    const change = isOverloaded ? overloadedMs / riseMs : -elapsedMs / fallMs
    level = Math.min(maxLevel, Math.max(0, level + change))
    startedAt = at
    samples = 0
    shortestMs = Number.POSITIVE_INFINITY
  }

  return {
    recordDelay(ms) {
      const at = now()
      if (at - startedAt >= longestIntervalMs) endInterval(at)
      samples += 1
      shortestMs = Math.min(shortestMs, ms)
      if (at - startedAt >= intervalMs && samples >= minSamples) endInterval(at)
    },
    admits(priority) {
      if (priority === undefined) return true
      const at = now()
      if (at - startedAt >= longestIntervalMs) endInterval(at)
      if (level === 0) return true
      return random() >= (priority === 'poll' ? level : level - 1)
    },
    get level() {
      return level
    },
  }
}

const probeEveryMs = 30
const probeMs = 5

/**
 * Returns a probe; call it once for each request. It measures how late the event loop runs a timer,
 * at most every 30 ms. A process without requests measures nothing, because timers would keep it
 * busy.
 */
export function createEventLoopProbe(record: (delayMs: number) => void): () => void {
  let nextAt = 0
  return () => {
    const at = performance.now()
    if (at < nextAt) return
    nextAt = Number.POSITIVE_INFINITY
    setTimeout(() => {
      const ranAt = performance.now()
      nextAt = ranAt + probeEveryMs
      record(Math.max(0, ranAt - at - probeMs))
    }, probeMs).unref()
  }
}
