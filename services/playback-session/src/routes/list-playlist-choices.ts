import { listPlaylistChoices as operation } from '@watchline/contracts/playlists'
import type { Person } from '@watchline/identity/people'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { pageEndSchema } from '@watchline/kit/mongo/list-order'
import { findVisiblePeople } from '../actions/find-assignees.ts'
import { ownerFor } from '../actions/find-playlist-page.ts'
import type { PlaybackContext } from '../context.ts'
import { type PlaylistOwner, playlistOrder } from '../store/playlists.ts'

const order = playlistOrder('title', 'asc')

export const listPlaylistChoices = defineRoute(operation, async ({ query, person }, ctx: PlaybackContext) => {
  const { playlist_ids: ids, limit, search, cursor } = query
  const page = await ctx.playlists.page(await findChoices(ctx, person), {
    ...{ sort: 'title', order: 'asc', limit, search },
    after: readCursor(cursor, pageEndSchema(order)),
    ...(ids && { only: { ids } }),
  })
  return new Reply(
    page.items.map(({ id, title }) => ({ id, title })),
    { headers: pageHeaders(page) },
  )
})

/** The person's list, and what their people have. */
async function findChoices(ctx: PlaybackContext, person: Person): Promise<PlaylistOwner> {
  const ownedBy = ownerFor(person)
  const peopleIds = await findVisiblePeople(ctx, person)
  return peopleIds ? { ownedBy, orIds: [...(await ctx.assignments.countAssignees(peopleIds)).keys()] } : ownedBy
}
