import { byteOrderMark } from '@watchline/contracts/csv'
import { exportTeam as operation } from '@watchline/contracts/engagement'
import type { Person } from '@watchline/identity/people'
import { defineRoute, StreamReply } from '@watchline/kit/http/route'
import { findScope, type ScopeFilter, walkScope } from '../actions/find-scope.ts'
import { loadMembers } from '../actions/load-members.ts'
import { loadRecordedPlaylistsOf } from '../actions/load-recorded-playlists.ts'
import { recordDetailView } from '../actions/record-detail-view.ts'
import type { EngagementContext } from '../context.ts'
import { exportLimit } from '../rules/rate-limits.ts'
import { formatWatchLines, watchHeader } from '../rules/watch-export.ts'

const peopleAtOnce = 100

export const exportTeam = defineRoute(operation, async ({ query, person }, ctx: EngagementContext) => {
  // A refusal must come before the stream begins.
  await findScope(ctx, person, query)
  await ctx.rateLimiter.count(`exports:${person.id}`, exportLimit)
  const date = ctx.calendar.dateOf(ctx.clock.now())
  return new StreamReply(exportPieces(ctx, person, query), {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="engagement-${date}.csv"`,
  })
})

async function* exportPieces(ctx: EngagementContext, person: Person, filter: ScopeFilter): AsyncGenerator<string> {
  yield byteOrderMark + watchHeader
  for await (const people of walkScope(ctx, person, peopleAtOnce, filter)) {
    await recordDetailView(ctx, person, people, 'team_export')
    const members = await loadMembers(ctx, people)
    const records = await loadRecordedPlaylistsOf(ctx, members)
    const lines = members.flatMap((member, index) =>
      records[index]!.flatMap(playlist => formatWatchLines(member, playlist)),
    )
    if (lines.length > 0) yield lines.join('')
  }
}
