import { isTimeZone } from '@watchline/contracts/fields'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createHourlyJob } from '@watchline/kit/live/hourly-job'
import { publishTimeZone } from '../actions/publish-time-zone.ts'
import type { NotificationContext } from '../context.ts'

type Deps = Pick<NotificationContext, 'clock' | 'outbox' | 'mailChoices'>

const peoplePerTransaction = 100

export function createEarlierTimeZonePublisher(ctx: Deps & Pick<NotificationContext, 'live' | 'log'>): Lifecycle {
  const { live, clock, log } = ctx
  return createHourlyJob(signal => publishEarlierTimeZones(ctx, signal), {
    ...{ name: 'earlier-time-zones', live, clock },
    onError: error => log.warn({ err: error }, 'publishing time zones of earlier versions failed, retrying'),
  })
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
