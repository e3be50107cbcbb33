import { listTasks as operation } from '@watchline/contracts/assignments'
import { pageHeaders, readCursor, timeCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { PlaybackContext } from '../context.ts'
import { presentPlaylistsFor } from './presenters.ts'

/**
 * A supervisor with a manager sees the manager's shared playlists; without a manager, their own.
 */
export const listTasks = defineRoute(operation, async ({ query, person, sid }, ctx: PlaybackContext) => {
  const owner = person.managerId ? { sharedWith: person.id, by: person.managerId } : { createdBy: person.id }
  const { limit, search, cursor } = query
  const page = await ctx.playlists.page(owner, { limit, search, after: readCursor(cursor, timeCursor) })
  return new Reply(await presentPlaylistsFor(ctx, { person, sid }, page.items), { headers: pageHeaders(page) })
})
