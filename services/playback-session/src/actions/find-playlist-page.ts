import { seesEverything } from '@watchline/contracts/people'
import type { Person } from '@watchline/identity/people'
import { readCursor, timeCursor } from '@watchline/kit/http/paging'
import { pageEndSchema } from '@watchline/kit/mongo/list-order'
import type { PlaybackContext } from '../context.ts'
import type { Playlist } from '../rules/playlist.ts'
import { type PlaylistOwner, type PlaylistSort, playlistOrder } from '../store/playlists.ts'

/** The choices that a list of playlists offers. */
export interface PlaylistQuery {
  limit: number
  order: 'asc' | 'desc'
  search?: string | undefined
  cursor?: string | undefined
}

/** A page with the end that its cursor holds, and the number of all matches. */
export interface CountedPage {
  items: Playlist[]
  next?: unknown
  total: number
}

/** Cursors by date look as in earlier versions, whose replicas may get them during an update. */
const endByDate = timeCursor.transform(({ at, id }) => ({ by: 'created_at', values: [at], id }))

/** A page of the owner's playlists, by date unless the query has another order. */
export async function findPlaylistPage(
  { playlists }: Pick<PlaybackContext, 'playlists'>,
  owner: PlaylistOwner,
  { sort = 'created', order, limit, search, cursor }: PlaylistQuery & { sort?: PlaylistSort | undefined },
): Promise<CountedPage> {
  const after = readCursor(cursor, sort === 'created' ? endByDate : pageEndSchema(playlistOrder(sort, order)))
  const [{ items, next }, total] = await Promise.all([
    playlists.page(owner, { limit, sort, order, search, after }),
    playlists.count(owner, search),
  ])
  return { items, next: next && sort === 'created' ? { at: next.values[0], id: next.id } : next, total }
}

/** The playlists in the list of a superior. */
export function ownerFor(person: Person): PlaylistOwner {
  if (seesEverything(person)) return { everything: true }
  const sharingManager = person.role === 'supervisor' && person.managerId
  return sharingManager ? { createdBy: person.id, orSharedBy: sharingManager } : { createdBy: person.id }
}
