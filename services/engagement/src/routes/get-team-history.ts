import { getTeamHistory as operation } from '@watchline/contracts/engagement'
import { defineRoute } from '@watchline/kit/http/route'
import { summariseScope } from '../actions/summarise-scope.ts'
import type { EngagementContext } from '../context.ts'
import { describeDays } from '../rules/team-figures.ts'

/** The last rate is the present average of the same scope. */
export const getTeamHistory = defineRoute(operation, async ({ query, person }, ctx: EngagementContext) => {
  const { history } = await summariseScope(ctx, person, query)
  const dates = ctx.calendar.lastDates(ctx.clock.now(), query.days)
  return describeDays(history, dates).map(({ date, averageCompletion, completedVideos, isCredited }) => ({
    date,
    completed_videos: completedVideos,
    completion_rate: averageCompletion,
    credited: isCredited,
  }))
})
