import { getTeamHistory as operation } from '@watchline/contracts/engagement'
import { defineRoute } from '@watchline/kit/http/route'
import { membersOf } from '../analytics.ts'
import type { EngagementContext } from '../context.ts'
import { playable } from '../rules/playlist.ts'
import { scopeOf } from '../scope.ts'

/** From the times of completion; the rate is the share of the videos now assigned that were completed by then. */
export const getTeamHistory = defineRoute(operation, async ({ query, person }, ctx: EngagementContext) => {
  const scope = await scopeOf(ctx, person)
  const { byDate, total } = scope ? await ofMembers(ctx, scope) : await ofEverybody(ctx)
  const dates = ctx.calendar.lastDates(ctx.clock.now(), query.days)
  const sorted = [...byDate].sort(([one], [other]) => (one < other ? -1 : 1))
  let completed = 0
  let next = 0
  return dates.map(date => {
    for (; next < sorted.length && sorted[next]![0] <= date; next += 1) completed += sorted[next]![1]
    const share = total > 0 ? Math.min(100, Math.round((completed / total) * 100)) : 0
    return { date, completed_videos: completed, completion_rate: share }
  })
})

interface Completions {
  byDate: Map<string, number>
  /** Videos that there are to complete. */
  total: number
}

async function ofMembers(ctx: EngagementContext, scope: Parameters<typeof membersOf>[1]): Promise<Completions> {
  const members = await membersOf(ctx, scope)
  const byDate = new Map<string, number>()
  for (const at of members.flatMap(each => each.overview.completedAt)) {
    const date = ctx.calendar.dateOf(at)
    byDate.set(date, (byDate.get(date) ?? 0) + 1)
  }
  return { byDate, total: members.reduce((sum, each) => sum + each.overview.totalVideos, 0) }
}

async function ofEverybody(ctx: EngagementContext): Promise<Completions> {
  const [byDate, counts] = await Promise.all([ctx.completionDays.all(), ctx.projections.assignments.counts()])
  const playlists = await ctx.projections.known(counts.map(each => each.playlistId))
  const total = counts.reduce((sum, { playlistId, people }) => {
    const playlist = playlists.get(playlistId)
    return sum + (playlist?.deletedAt === null ? playable(playlist).length * people : 0)
  }, 0)
  return { byDate, total }
}
