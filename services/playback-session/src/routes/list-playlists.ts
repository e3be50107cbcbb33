import { listPlaylists as operation } from '@watchline/contracts/playlists'
import { matchesSearch } from '@watchline/contracts/search-text'
import { failField } from '@watchline/kit/core/errors'
import { pageHeaders, readCursor, timeCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { findPlaylistPage, ownerFor } from '../actions/find-playlist-page.ts'
import { findPlaylistPageByAssigned } from '../actions/find-playlist-page-by-assigned.ts'
import type { PlaybackContext } from '../context.ts'
import type { Playlist } from '../rules/playlist.ts'
import { presentPlaylist, presentPlaylistsFor, toOwnAssignee } from './presenters.ts'

export const listPlaylists = defineRoute(operation, async ({ query, person, sid }, ctx: PlaybackContext) => {
  const { search, assignee } = query
  if (person.role === 'user') {
    if (query.sort) failField('sort', 'is not possible for assigned playlists')
    if (query.order === 'asc') failField('order', 'is not possible for assigned playlists')
    const page = await ctx.assignments.page(person.id, {
      limit: query.limit,
      after: readCursor(query.cursor, timeCursor),
    })
    const playlists = await Promise.all(page.items.map(({ playlistId }) => ctx.playlists.cached.get(playlistId)))
    const assigned = page.items.flatMap((assignment, index) => {
      const playlist = playlists[index]
      if (!playlist || !hasInTitle(playlist, search)) return []
      return [presentPlaylist(ctx, { sid }, playlist, { assignees: toOwnAssignee(assignment) })]
    })
    return new Reply(assigned, { headers: pageHeaders(search ? { next: page.next } : page) })
  }
  const { sort, ...request } = query
  if (sort === 'assigned' && assignee !== undefined) failField('sort', 'is not possible for one assignee')
  const owner = ownerFor(person)
  const page =
    sort === 'assigned'
      ? await findPlaylistPageByAssigned(ctx, owner, person, request)
      : await findPlaylistPage(ctx, owner, { ...request, sort })
  const presented = await presentPlaylistsFor(ctx, { person, sid }, page.items, assignee)
  return new Reply(presented, { headers: pageHeaders(page) })
})

/** The assignments of a page are few, so their titles are compared here. */
function hasInTitle({ title }: Pick<Playlist, 'title'>, search = ''): boolean {
  return matchesSearch(search, title)
}
