import { isTimeZone } from '@watchline/contracts/fields'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import { publishTimeZone } from '../actions/publish-time-zone.ts'
import type { NotificationContext } from '../context.ts'

type Deps = Pick<NotificationContext, 'clock' | 'outbox' | 'mailChoices'>

const peoplePerTransaction = 100
const pauseMs = 60_000
const hourMs = 3600_000

/** Runs on each replica soon after its start, and then on one replica an hour. */
export function createEarlierTimeZonePublisher(ctx: Deps & Pick<NotificationContext, 'live' | 'log'>): Lifecycle {
  let hasRun = false
  return createRepeatedJob(
    async signal => {
      const { count } = await ctx.live.counters.hit('earlier-time-zones', hourMs, ctx.clock.now())
      if (hasRun && count > 1) return
      // Until it has ended once, a failure is retried after the pause, not after the hour.
      await publishEarlierTimeZones(ctx, signal)
      hasRun = true
    },
    {
      ...{ pauseMs, jitter: true },
      onError: error => ctx.log.warn({ err: error }, 'publishing time zones of earlier versions failed, retrying'),
    },
  )
}

/**
 * Publishes the time zones that earlier versions stored, each once, because due dates did not
 * depend on them. During an update, a replica of such a version may store more at any time.
 */
export async function publishEarlierTimeZones(
  { clock, outbox, mailChoices }: Deps,
  signal?: AbortSignal,
): Promise<void> {
  let personIds: string[]
  do {
    personIds = await mailChoices.findUnpublishedTimeZones(peoplePerTransaction)
    await outbox.transaction(async tx => {
      for (const personId of personIds) {
        const mark = { now: clock.now(), session: tx.session }
        const unpublished = await mailChoices.markTimeZonePublished(personId, mark)
        if (!unpublished) continue
        const { timeZone, changedAt } = unpublished
        // A name that is not known any more stands for the time zone of the organisation.
        const isKnown = timeZone !== null && isTimeZone(timeZone)
        publishTimeZone(tx, personId, isKnown ? timeZone : null, changedAt)
      }
    })
  } while (personIds.length === peoplePerTransaction && !signal?.aborted)
}
