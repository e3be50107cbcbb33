import { exportReport as operation } from '@watchline/contracts/reports'
import { defineRoute, StreamReply } from '@watchline/kit/http/route'
import { findScope } from '../actions/find-scope.ts'
import { makeTaskReport } from '../actions/make-task-report.ts'
import { recordReportView } from '../actions/record-report-view.ts'
import type { EngagementContext } from '../context.ts'
import { exportLimit } from '../rules/rate-limits.ts'
import { formatCsv, nameCsvFile } from '../rules/task-report/format-csv.ts'

export const exportReport = defineRoute(operation, async ({ query, person }, ctx: EngagementContext) => {
  // A call without rights must not count.
  await findScope(ctx, person, query)
  await ctx.rateLimiter.count(`exports:${person.id}`, exportLimit)
  // Made first, because a failure must come before the file begins.
  const report = await makeTaskReport(ctx, person, query)
  await recordReportView(ctx, person, report, 'team_export')
  const fileName = nameCsvFile(report.by, ctx.calendar.dateOf(Date.parse(report.made_at)))
  return new StreamReply(formatCsv(report), {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${fileName}"`,
  })
})
