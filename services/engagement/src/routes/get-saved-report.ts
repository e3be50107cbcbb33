import { getSavedReport as operation } from '@watchline/contracts/saved-reports'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { EngagementContext } from '../context.ts'
import { presentSavedReport } from './present-saved-reports.ts'

/** Recipients open a report by the link in its mail. */
export const getSavedReport = defineRoute(operation, async ({ params, person }, ctx: EngagementContext) => {
  const report = await ctx.savedReports.find(params.id)
  if (!report || !(report.ownerId === person.id || report.recipientIds.includes(person.id))) fail('not_found')
  return presentSavedReport(ctx, report)
})
