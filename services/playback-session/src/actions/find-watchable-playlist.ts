import type { Person } from '@watchline/identity/people'
import type { DocumentCache } from '@watchline/kit/mongo/document-cache'
import type { PlaybackContext } from '../context.ts'
import type { Playlist } from '../rules/playlist.ts'
import { mayAssign } from '../rules/rights.ts'
import { assignmentKey } from '../store/stored-assignment.ts'
import { findSubordinates } from './find-subordinates.ts'

/**
 * The playlist if the person may watch it: staff who may assign it, its assignees, and superiors of
 * an assignee. Undefined if it is unknown or the person may not watch it.
 */
export async function findWatchablePlaylist(
  ctx: PlaybackContext,
  person: Person,
  playlistId: string,
): Promise<Playlist | undefined> {
  const playlist = await findFresh(ctx.playlists.cached, playlistId)
  if (!playlist) return undefined
  if (mayAssign(person, playlist)) return playlist
  const assignment = await findFresh(ctx.assignments.cached, assignmentKey(person.id, playlistId))
  return assignment || (await mayReview(ctx, person, playlistId)) ? playlist : undefined
}

/** Superiors may review a playlist that is assigned to one of their people. */
async function mayReview(ctx: PlaybackContext, person: Person, playlistId: string): Promise<boolean> {
  if (person.role === 'user') return false
  const subordinates = (await findSubordinates(ctx, person)) ?? []
  if (subordinates.length === 0) return false
  return ctx.assignments.hasAny(
    playlistId,
    subordinates.map(subordinate => subordinate.id),
  )
}

/**
 * Reads MongoDB before it returns undefined: another replica may have just written the document.
 */
async function findFresh<T>(cache: Pick<DocumentCache<T>, 'get' | 'evict'>, key: string): Promise<T | undefined> {
  const cached = await cache.get(key)
  if (cached) return cached
  cache.evict(key)
  return cache.get(key)
}
