import { listTasks as operation } from '@watchline/contracts/assignments'
import { pageHeaders } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { findPlaylistPage } from '../actions/find-playlist-page.ts'
import { findPlaylistPageByAssigned } from '../actions/find-playlist-page-by-assigned.ts'
import type { PlaybackContext } from '../context.ts'
import { presentPlaylistsFor } from './presenters.ts'

/**
 * A supervisor with a manager sees the manager's shared playlists; without a manager, their own.
 */
export const listTasks = defineRoute(operation, async ({ query, person, sid }, ctx: PlaybackContext) => {
  const owner = person.managerId ? { sharedWith: person.id, by: person.managerId } : { createdBy: person.id }
  const { sort, ...request } = query
  const page =
    sort === 'assigned'
      ? await findPlaylistPageByAssigned(ctx, owner, person, request)
      : await findPlaylistPage(ctx, owner, { ...request, sort })
  return new Reply(await presentPlaylistsFor(ctx, { person, sid }, page.items), { headers: pageHeaders(page) })
})
