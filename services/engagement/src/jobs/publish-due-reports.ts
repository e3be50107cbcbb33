import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { Logger } from '@watchline/kit/observability/log'
import { createTimeZoneConverter } from '../actions/create-time-zone-converter.ts'
import type { EngagementContext } from '../context.ts'
import { findLastSending, findNextSending } from '../rules/report-schedule.ts'
import { mayReportOn } from '../rules/rights.ts'
import type { DueReport } from '../store/saved-reports.ts'

type Deps = Pick<EngagementContext, 'clock' | 'calendar' | 'outbox' | 'people' | 'savedReports'>

const pauseMs = 60_000
const batchSize = 100

export function createDueReports(ctx: Deps, log: Logger): Lifecycle {
  const onError = (error: unknown) => log.warn({ err: error }, 'sending of saved reports failed, retrying')
  return createRepeatedJob(() => publishDueReports(ctx), { pauseMs, jitter: true, onError })
}

/**
 * Publishes `report.due` for saved reports whose time has come. The event and the next time are one
 * transaction, so that none is lost or published by two replicas. The next time is after now, so
 * that times which passed without a running replica bring one mail, with the last of these times.
 */
export async function publishDueReports(ctx: Deps): Promise<void> {
  for (;;) {
    const now = ctx.clock.now()
    const ids = await ctx.savedReports.findDue(new Date(now), batchSize)
    if (ids.length > 0) await publishBatch(ctx, ids, now)
    if (ids.length < batchSize) return
  }
}

function publishBatch(ctx: Deps, ids: readonly string[], now: number): Promise<void> {
  const { outbox, people, savedReports } = ctx
  const converter = createTimeZoneConverter(ctx)
  return outbox.transaction(async tx => {
    const due = await savedReports.claimDue(
      ids,
      new Date(now),
      schedule => new Date(findNextSending(schedule, now, converter)),
      tx.session,
    )
    for (const report of due) {
      if (report.recipientIds.length === 0 || !(await mayBeSent({ people }, report))) continue
      const times = { dueAt: report.dueAt.getTime(), now }
      const { schedule } = report
      const dueAt = schedule ? findLastSending(schedule, times, converter) : times.dueAt
      tx.publish('report.due', report.id, {
        ...{ report_id: report.id, due_at: new Date(dueAt).toISOString(), recipients: report.recipientIds },
        ...(schedule && { day: converter.localTimeOf(dueAt, schedule.time_zone).slice(0, 10) }),
      })
    }
  })
}

/** An owner who has lost the right keeps the report, and may get the right again. */
async function mayBeSent({ people }: Pick<Deps, 'people'>, { ownerId, choice }: DueReport): Promise<boolean> {
  const owner = await people.get(ownerId)
  return owner !== undefined && !owner.deactivatedAt && mayReportOn(owner, choice)
}
