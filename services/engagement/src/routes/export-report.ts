import { byteOrderMark } from '@watchline/contracts/csv'
import { exportReport as operation, type Report } from '@watchline/contracts/reports'
import { defineRoute, StreamReply } from '@watchline/kit/http/route'
import { findScope } from '../actions/find-scope.ts'
import { makeTaskReport } from '../actions/make-task-report.ts'
import type { EngagementContext } from '../context.ts'
import { exportLimit } from '../rules/rate-limits.ts'
import { csvHeader, formatCsvRow } from '../rules/task-report/format-csv.ts'

const rowsAtOnce = 500

export const exportReport = defineRoute(operation, async ({ query, person }, ctx: EngagementContext) => {
  // A call without rights must not count.
  await findScope(ctx, person, query)
  await ctx.rateLimiter.count(`exports:${person.id}`, exportLimit)
  // Made first, because a failure must come before the file begins.
  const report = await makeTaskReport(ctx, person, query)
  const date = ctx.calendar.dateOf(Date.parse(report.made_at))
  return new StreamReply(createPieces(report), {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="report-by-${report.by}-${date}.csv"`,
  })
})

async function* createPieces({ by, rows, total }: Report): AsyncGenerator<string> {
  yield byteOrderMark + csvHeader
  for (let at = 0; at < rows.length; at += rowsAtOnce)
    yield rows
      .slice(at, at + rowsAtOnce)
      .map(row => formatCsvRow(by, row))
      .join('')
  yield formatCsvRow('total', total)
}
