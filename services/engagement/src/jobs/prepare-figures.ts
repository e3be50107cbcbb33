import { limits } from '@watchline/contracts/limits'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { Logger } from '@watchline/kit/observability/log'
import type { EngagementContext } from '../context.ts'

type Deps = Pick<EngagementContext, 'people' | 'everybodyFigures'>

/** The figures of fewer trainees are computed in about a second, when somebody asks. */
const manyTrainees = 2_000

/**
 * Computes the figures of everybody in a large organisation at the start, and again before they are
 * too old, so that no caller waits for them. It costs the time of one computation in every period.
 */
export function createFiguresPreparation(deps: Deps, log: Logger): Lifecycle {
  const onError = (error: unknown) => log.warn({ err: error }, 'preparing the figures failed, retrying later')
  // The jitter adds up to a quarter. The longest pause leaves time to compute before the greatest
  // age.
  const job = createRepeatedJob(() => prepareFigures(deps), {
    ...{ pauseMs: 0.7 * limits.figuresMaxAgeMs, jitter: true, onError },
  })
  let isStopped = false
  return {
    start: () => {
      // Nothing waits for the first figures: neither the start nor the stop of the service.
      void prepareFigures(deps).catch(error => isStopped || onError(error))
      job.start()
    },
    stop: () => {
      isStopped = true
      return job.stop()
    },
  }
}

/** Resolves when there are figures; older ones are then computed again in the background. */
export async function prepareFigures({ people, everybodyFigures }: Deps): Promise<void> {
  if ((await people.countOf('user')) >= manyTrainees) await everybodyFigures.get()
}
