import { listPlaylists as operation } from '@watchline/contracts/playlists'
import type { Person } from '@watchline/identity/people'
import { pageHeaders, readCursor, timeCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { PlaybackContext } from '../context.ts'
import { seesEverything } from '../rules/rights.ts'
import type { PlaylistOwner } from '../store/playlists.ts'
import { presentPlaylist, presentPlaylistsFor } from './presenters.ts'

export const listPlaylists = defineRoute(operation, async ({ query, person }, ctx: PlaybackContext) => {
  const request = { limit: query.limit, after: readCursor(query.cursor, timeCursor) }
  if (person.role === 'user') {
    const page = await ctx.assignments.page(person.id, request)
    const playlists = await Promise.all(page.items.map(({ playlistId }) => ctx.playlists.cached.get(playlistId)))
    const assigned = page.items.flatMap(({ assignedDate }, index) => {
      const playlist = playlists[index]
      return playlist ? [presentPlaylist(playlist, { personIds: [person.id], latest: assignedDate })] : []
    })
    return new Reply(assigned, { headers: pageHeaders(page) })
  }
  const page = await ctx.playlists.page(ownerFor(person), request)
  return new Reply(await presentPlaylistsFor(ctx, person, page.items), { headers: pageHeaders(page) })
})

function ownerFor(person: Person): PlaylistOwner {
  if (seesEverything(person)) return { everything: true }
  const sharingManager = person.role === 'supervisor' && person.managerId
  return sharingManager ? { createdBy: person.id, orSharedBy: sharingManager } : { createdBy: person.id }
}
