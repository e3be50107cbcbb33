import { exportTeam as operation } from '@watchline/contracts/engagement'
import type { Person } from '@watchline/identity/people'
import { defineRoute, StreamReply } from '@watchline/kit/http/route'
import { findScope, type ScopeFilter, walkScope } from '../actions/find-scope.ts'
import { loadMembers, type Member } from '../actions/load-members.ts'
import type { EngagementContext } from '../context.ts'
import { byteOrderMark, csvLine } from '../rules/csv.ts'
import { summarisePlaylist, watchedPlaylistIds } from '../rules/overview.ts'
import type { Playlist } from '../rules/playlist.ts'
import { formatMinutes } from '../rules/summary.ts'
import { presentTime } from './presenters.ts'

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
  'playlist_completion_rate',
  'person_completion_rate',
]

export const exportTeam = defineRoute(operation, async ({ query, person }, ctx: EngagementContext) => {
  // A refusal must come before the stream begins.
  await findScope(ctx, person, query)
  const date = ctx.calendar.dateOf(ctx.clock.now())
  return new StreamReply(exportPieces(ctx, person, query), {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="engagement-${date}.csv"`,
  })
})

async function* exportPieces(ctx: EngagementContext, person: Person, filter: ScopeFilter): AsyncGenerator<string> {
  yield byteOrderMark + csvLine(columns)
  for await (const people of walkScope(ctx, person, peopleAtOnce, filter)) {
    const members = await loadMembers(ctx, people)
    const watched = await ctx.projections.loadKnown(members.flatMap(({ watches }) => watchedPlaylistIds(watches)))
    const lines = members.flatMap(member => {
      const assignedIds = new Set(member.assigned.map(({ id }) => id))
      const unassignedIds = watchedPlaylistIds(member.watches).filter(id => !assignedIds.has(id))
      const playlists = [...member.assigned, ...unassignedIds.flatMap(id => watched.get(id) ?? [])]
      return playlists.flatMap(playlist => playlistLines(member, playlist))
    })
    if (lines.length > 0) yield lines.join('')
  }
}

function playlistLines({ person, watches, overview: member }: Member, playlist: Playlist): string[] {
  const { videos, removed, completionRate } = summarisePlaylist(playlist, watches)
  const playlistTitle = playlist.deletedAt === null ? playlist.title : `${playlist.title} (deleted)`.trimStart()
  return [...videos, ...removed].map(overview => {
    const { title, duration, unavailable } = overview.video
    const missing = overview.missing.map(([from, to]) => `${formatMinutes(from)} to ${formatMinutes(to)}`)
    return csvLine([
      person.name,
      person.email,
      playlistTitle,
      removed.includes(overview) ? `${title} (removed)` : title,
      duration,
      unavailable ? null : overview.completionRate,
      unavailable ? 'unavailable' : overview.completed ? 'yes' : 'no',
      presentTime(overview.completedAt),
      overview.watchTime,
      unavailable ? null : missing.join('; '),
      overview.notes.map(note => note.words).join('; '),
      presentTime(overview.lastReportAt),
      completionRate,
      member.completionRate,
    ])
  })
}
