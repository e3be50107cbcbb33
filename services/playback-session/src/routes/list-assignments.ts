import { listAssignments as operation } from '@watchline/contracts/assignments'
import { pageHeaders, readCursor, timeCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { PlaybackContext } from '../context.ts'
import { presentTask } from './presenters.ts'

export const listAssignments = defineRoute(operation, async ({ query, person }, ctx: PlaybackContext) => {
  const page = await ctx.assignments.page(person.id, {
    limit: query.limit,
    after: readCursor(query.cursor, timeCursor),
  })
  const [playlists, progress] = await Promise.all([
    Promise.all(page.items.map(each => ctx.playlists.cached.get(each.playlistId))),
    ctx.progress.ofMany(page.items),
  ])
  const progressIn = new Map(progress.map(each => [each.playlistId, each]))
  const shown = page.items.flatMap((assignment, index) => {
    const playlist = playlists[index]
    return playlist ? [presentTask(playlist, assignment, progressIn.get(assignment.playlistId))] : []
  })
  return new Reply(shown, { headers: pageHeaders(page) })
})
