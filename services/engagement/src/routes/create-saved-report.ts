import { limits } from '@watchline/contracts/limits'
import { createSavedReport as operation } from '@watchline/contracts/saved-reports'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { checkSavedReport, planSending } from '../actions/check-saved-report.ts'
import type { EngagementContext } from '../context.ts'
import { savedReportLimit } from '../rules/rate-limits.ts'
import { presentSavedReport } from './present-saved-reports.ts'

export const createSavedReport = defineRoute(operation, async ({ body, person }, ctx: EngagementContext) => {
  await ctx.rateLimiter.count(`saved-reports:${person.id}`, savedReportLimit)
  const { client_id, ...input } = body
  const fields = await checkSavedReport(ctx, person, input)
  const report = await ctx.savedReports.add(person.id, {
    ...{ ...fields, nextSendAt: planSending(ctx, fields.schedule) },
    ...{ clientId: client_id, createdAt: new Date(ctx.clock.now()) },
  })
  if (!report)
    fail('conflict', { detail: `You have saved ${limits.savedReportsPerPerson} reports already. Delete one first.` })
  return { success: true as const, report: await presentSavedReport(ctx, report) }
})
