import { byteOrderMark } from '@watchline/contracts/csv'
import { exportOwnRecord as operation } from '@watchline/contracts/engagement'
import { defineRoute, StreamReply } from '@watchline/kit/http/route'
import { loadMembers } from '../actions/load-members.ts'
import { loadRecordedPlaylists } from '../actions/load-recorded-playlists.ts'
import type { EngagementContext } from '../context.ts'
import { exportLimit } from '../rules/rate-limits.ts'
import { formatWatchLines, watchHeader } from '../rules/watch-export.ts'

export const exportOwnRecord = defineRoute(operation, async ({ person }, ctx: EngagementContext) => {
  await ctx.rateLimiter.count(`exports:${person.id}`, exportLimit)
  const date = ctx.calendar.dateOf(ctx.clock.now())
  // Loaded first, because a failure must come before the file begins.
  const [member] = await loadMembers(ctx, [person])
  const playlists = await loadRecordedPlaylists(ctx, member!)
  const lines = playlists.flatMap(playlist => formatWatchLines(member!, playlist))
  return new StreamReply(createPieces(byteOrderMark + watchHeader + lines.join('')), {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="my-record-${date}.csv"`,
  })
})

async function* createPieces(text: string): AsyncGenerator<string> {
  yield text
}
