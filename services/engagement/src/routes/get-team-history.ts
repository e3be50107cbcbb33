import { getTeamHistory as operation } from '@watchline/contracts/engagement'
import type { Person } from '@watchline/identity/people'
import { defineRoute } from '@watchline/kit/http/route'
import { findScope } from '../actions/find-scope.ts'
import { loadMembers } from '../actions/load-members.ts'
import type { EngagementContext } from '../context.ts'
import { playableVideos } from '../rules/playlist.ts'

/** The rate of a date is the share of the currently assigned videos that were completed by then. */
export const getTeamHistory = defineRoute(operation, async ({ query, person }, ctx: EngagementContext) => {
  const scope = await findScope(ctx, person)
  const { byDate, total } = scope ? await countForScope(ctx, scope) : await countForEverybody(ctx)
  const dates = ctx.calendar.lastDates(ctx.clock.now(), query.days)
  const counts = [...byDate].sort(([left], [right]) => (left < right ? -1 : 1))
  let completed = 0
  let next = 0
  return dates.map(date => {
    for (; next < counts.length && counts[next]![0] <= date; next += 1) completed += counts[next]![1]
    const rate = total > 0 ? Math.min(100, Math.round((completed / total) * 100)) : 0
    return { date, completed_videos: completed, completion_rate: rate }
  })
})

interface CompletionCounts {
  byDate: Map<string, number>
  /** Number of assigned videos, counted once for each person. */
  total: number
}

async function countForScope(ctx: EngagementContext, scope: readonly Person[]): Promise<CompletionCounts> {
  const members = await loadMembers(ctx, scope)
  const byDate = new Map<string, number>()
  for (const completedAt of members.flatMap(({ overview }) => overview.completedAt)) {
    const date = ctx.calendar.dateOf(completedAt)
    byDate.set(date, (byDate.get(date) ?? 0) + 1)
  }
  return { byDate, total: members.reduce((sum, { overview }) => sum + overview.totalVideos, 0) }
}

async function countForEverybody(ctx: EngagementContext): Promise<CompletionCounts> {
  const [byDate, counts] = await Promise.all([ctx.completionDays.all(), ctx.projections.assignments.counts()])
  const playlists = await ctx.projections.loadKnown(counts.map(({ playlistId }) => playlistId))
  const total = counts.reduce((sum, { playlistId, people }) => {
    const playlist = playlists.get(playlistId)
    return sum + (playlist?.deletedAt === null ? playableVideos(playlist).length * people : 0)
  }, 0)
  return { byDate, total }
}
