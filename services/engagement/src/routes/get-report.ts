import { getReport as operation } from '@watchline/contracts/reports'
import { compareByName } from '@watchline/identity/name-key'
import { cutPage, pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { personCursor } from '../actions/find-scope.ts'
import { makeTaskReport, toRowKey } from '../actions/make-task-report.ts'
import { recordReportView } from '../actions/record-report-view.ts'
import type { EngagementContext } from '../context.ts'

/** A page of the rows; the total is that of all rows. */
export const getReport = defineRoute(operation, async ({ query, person }, ctx: EngagementContext) => {
  const { limit, cursor, ...reportQuery } = query
  const after = readCursor(cursor, personCursor)
  const report = await makeTaskReport(ctx, person, reportQuery)
  const remaining = after ? report.rows.filter(row => compareByName(toRowKey(row), after) > 0) : report.rows
  const { items: rows, next } = cutPage(remaining.slice(0, limit + 1), limit, toRowKey)
  await recordReportView(ctx, person, { by: report.by, rows }, 'record')
  return new Reply({ ...report, rows }, { headers: pageHeaders({ total: report.rows.length, ...(next && { next }) }) })
})
