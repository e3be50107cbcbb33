import * as contract from '@watchline/contracts/internal-operations'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import { makeReportMail } from '../actions/make-report-mail.ts'
import type { EngagementContext } from '../context.ts'

export const getReportMail = defineInternalRoute(
  contract.getReportMail,
  ({ params: { reportId, recipientId } }, ctx: EngagementContext) => makeReportMail(ctx, reportId, recipientId),
)
