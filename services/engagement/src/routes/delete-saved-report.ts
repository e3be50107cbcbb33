import { deleteSavedReport as operation } from '@watchline/contracts/saved-reports'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { EngagementContext } from '../context.ts'

export const deleteSavedReport = defineRoute(operation, async ({ params, person }, ctx: EngagementContext) => {
  if (!(await ctx.savedReports.remove(params.id, person.id))) fail('not_found')
  return { success: true as const }
})
