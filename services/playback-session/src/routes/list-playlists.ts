import { listPlaylists as operation } from '@watchline/contracts/playlists'
import type { Person } from '@watchline/identity/people'
import { pageHeaders, readCursor, timeCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { presentFor } from '../actions/find-assignable.ts'
import type { PlaybackContext } from '../context.ts'
import { seesEverything } from '../rules/rights.ts'
import type { PlaylistOwner } from '../store/playlists.ts'
import { presentPlaylist } from './presenters.ts'

export const listPlaylists = defineRoute(operation, async ({ query, person }, ctx: PlaybackContext) => {
  const request = { limit: query.limit, after: readCursor(query.cursor, timeCursor) }
  if (person.role === 'user') {
    const page = await ctx.assignments.page(person.id, request)
    const playlists = await Promise.all(page.items.map(each => ctx.playlists.cached.get(each.playlistId)))
    const shown = page.items.flatMap(({ assignedDate }, index) => {
      const playlist = playlists[index]
      return playlist ? [presentPlaylist(playlist, { personIds: [person.id], latest: assignedDate })] : []
    })
    return new Reply(shown, { headers: pageHeaders(page) })
  }
  const page = await ctx.playlists.page(ownerFor(person), request)
  return new Reply(await presentFor(ctx, person, page.items), { headers: pageHeaders(page) })
})

function ownerFor(person: Person): PlaylistOwner {
  if (seesEverything(person)) return { everything: true }
  const shares = person.role === 'supervisor' && person.managerId
  return shares ? { createdBy: person.id, orSharedBy: shares } : { createdBy: person.id }
}
