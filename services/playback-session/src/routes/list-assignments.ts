import { listAssignments as operation } from '@watchline/contracts/assignments'
import { pageHeaders, readCursor, timeCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { PlaybackContext } from '../context.ts'
import { urgencyCursor } from '../store/assignment-pages.ts'
import { presentTask } from './presenters.ts'

export const listAssignments = defineRoute(operation, async ({ query, person, sid }, ctx: PlaybackContext) => {
  const { limit, status, cursor } = query
  const page =
    status === 'open'
      ? await ctx.assignments.pageOpen(person.id, { limit, after: readCursor(cursor, urgencyCursor) })
      : await ctx.assignments.page(person.id, {
          limit,
          after: readCursor(cursor, timeCursor),
          ...(status && { status: 'closed' as const }),
        })
  const [playlists, progress] = await Promise.all([
    Promise.all(page.items.map(({ playlistId }) => ctx.playlists.cached.get(playlistId))),
    ctx.progress.findMany(page.items),
  ])
  const progressByPlaylist = new Map(progress.map(entry => [entry.playlistId, entry]))
  const tasks = await Promise.all(
    page.items.flatMap((assignment, index) => {
      const playlist = playlists[index]
      return playlist
        ? [presentTask(ctx, { sid }, playlist, assignment, progressByPlaylist.get(assignment.playlistId))]
        : []
    }),
  )
  return new Reply(tasks, { headers: pageHeaders(page) })
})
