import { exportTeam as operation } from '@watchline/contracts/engagement'
import type { Person } from '@watchline/identity/people'
import { defineRoute, StreamReply } from '@watchline/kit/http/route'
import { type Member, membersOf } from '../analytics.ts'
import type { EngagementContext } from '../context.ts'
import { presentTime } from '../presenters.ts'
import { byteOrderMark, csvLine } from '../rules/csv.ts'
import { overviewOfPlaylist, watchedPlaylists } from '../rules/overview.ts'
import type { Playlist } from '../rules/playlist.ts'
import { wholeScope } from '../scope.ts'

const peopleAtOnce = 100

const columns = [
  'name',
  'email',
  'playlist',
  'video',
  'duration_seconds',
  'completion_rate',
  'completed',
  'completed_at',
  'watch_time_seconds',
  'missing',
  'notes',
  'last_updated',
]

export const exportTeam = defineRoute(operation, async ({ person }, ctx: EngagementContext) => {
  const date = ctx.calendar.dateOf(ctx.clock.now())
  return new StreamReply(pieces(ctx, person), {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="engagement-${date}.csv"`,
  })
})

async function* pieces(ctx: EngagementContext, person: Person): AsyncGenerator<string> {
  yield byteOrderMark + csvLine(columns)
  for await (const people of wholeScope(ctx, person, peopleAtOnce)) {
    const members = await membersOf(ctx, people)
    const watched = await ctx.projections.known(members.flatMap(each => watchedPlaylists(each.watches)))
    const lines = members.flatMap(member => {
      const assigned = new Set(member.assigned.map(each => each.id))
      const besides = watchedPlaylists(member.watches).filter(id => !assigned.has(id))
      const playlists = [...member.assigned, ...besides.flatMap(id => watched.get(id) ?? [])]
      return playlists.flatMap(playlist => linesOf(member, playlist))
    })
    if (lines.length > 0) yield lines.join('')
  }
}

function linesOf({ person, watches }: Member, playlist: Playlist): string[] {
  const { videos, removed } = overviewOfPlaylist(playlist, watches)
  const title = playlist.deletedAt === null ? playlist.title : `${playlist.title} (deleted)`.trimStart()
  return [...videos, ...removed].map(each =>
    csvLine([
      person.name,
      person.email,
      title,
      removed.includes(each) ? `${each.video.title} (removed)` : each.video.title,
      each.video.duration,
      each.video.unavailable ? null : each.completionRate,
      each.video.unavailable ? 'unavailable' : each.completed ? 'yes' : 'no',
      presentTime(each.completedAt),
      each.watchTime,
      each.video.unavailable ? null : each.missing.map(([from, to]) => `${clock(from)} to ${clock(to)}`).join('; '),
      each.notes.map(note => note.words).join('; '),
      presentTime(each.lastReportAt),
    ]),
  )
}

function clock(seconds: number): string {
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
