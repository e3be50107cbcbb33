import { isDeepStrictEqual } from 'node:util'
import { updateSavedReport as operation } from '@watchline/contracts/saved-reports'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { checkSavedReport, planSending } from '../actions/check-saved-report.ts'
import type { EngagementContext } from '../context.ts'
import { savedReportLimit } from '../rules/rate-limits.ts'
import { presentSavedReport } from './present-saved-reports.ts'

export const updateSavedReport = defineRoute(operation, async ({ params, body, person }, ctx: EngagementContext) => {
  await ctx.rateLimiter.count(`saved-reports:${person.id}`, savedReportLimit)
  const { version, ...input } = body
  const stored = await ctx.savedReports.find(params.id)
  if (stored?.ownerId !== person.id) fail('not_found')
  const fields = await checkSavedReport(ctx, person, input, stored.recipientIds)
  if (stored.version !== version) fail('edited_elsewhere')
  // An occurrence that is due and not claimed yet must not get lost by another name.
  const keepsSchedule = isDeepStrictEqual(stored.schedule, fields.schedule)
  const report = await ctx.savedReports.replace(stored, {
    ...fields,
    ...(!keepsSchedule && { nextSendAt: planSending(ctx, fields.schedule) }),
  })
  if (!report) fail('edited_elsewhere')
  return { success: true as const, report: await presentSavedReport(ctx, report) }
})
