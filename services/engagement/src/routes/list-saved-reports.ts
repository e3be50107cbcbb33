import { listSavedReports as operation } from '@watchline/contracts/saved-reports'
import { defineRoute } from '@watchline/kit/http/route'
import type { EngagementContext } from '../context.ts'
import { presentSavedReports } from './present-saved-reports.ts'

export const listSavedReports = defineRoute(operation, async ({ person }, ctx: EngagementContext) =>
  presentSavedReports(ctx, await ctx.savedReports.listOf(person.id)),
)
