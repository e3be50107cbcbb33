import * as contract from '@watchline/contracts/internal-operations'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import { makeReportMail } from '../actions/make-report-mail.ts'
import type { EngagementContext } from '../context.ts'

export const getReportMail = defineInternalRoute(
  contract.getReportMail,
  ({ params: { reportId, recipientId }, query: { due_at, day } }, ctx: EngagementContext) => {
    const dueAt = due_at === undefined ? ctx.clock.now() : Date.parse(due_at)
    return makeReportMail(ctx, reportId, recipientId, day ?? ctx.calendar.dateOf(dueAt))
  },
)
