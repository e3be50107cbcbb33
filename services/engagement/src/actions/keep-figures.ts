import type { Clock } from '@watchline/kit/core/clock'
import type { Logger } from '@watchline/kit/observability/log'

/** A value that is costly to compute, kept in memory and shared by all callers. */
export interface KeptFigures<Figures> {
  get(): Promise<Figures>
}

export interface KeptFiguresOptions<Figures> {
  clock: Clock
  log: Logger
  compute: () => Promise<Figures>
  /** A younger value is answered as it is. */
  freshMs: number
  /** An older value is not answered: the caller waits. In between, a refresh starts behind. */
  staleMs: number
}

/**
 * Guarantees one computation at a time in this process, however many callers ask, and no answer
 * older than `staleMs`. It costs freshness: an answer may be `freshMs` old, plus one computation.
 */
export function createKeptFigures<Figures>(options: KeptFiguresOptions<Figures>): KeptFigures<Figures> {
  const { clock, log, compute, freshMs, staleMs } = options
  let stored: { figures: Figures; at: number } | undefined
  let running: Promise<Figures> | undefined

  async function refresh(): Promise<Figures> {
    const at = clock.now()
    try {
      const figures = await compute()
      stored = { figures, at }
      return figures
    } finally {
      running = undefined
    }
  }

  return {
    get: async () => {
      const ageMs = stored ? clock.now() - stored.at : Number.POSITIVE_INFINITY
      if (stored && ageMs < freshMs) return stored.figures
      running ??= refresh()
      if (!stored || ageMs >= staleMs) return running
      running.catch(error => log.warn({ err: error }, 'refresh of team figures failed, retrying at the next call'))
      return stored.figures
    },
  }
}
