import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { EngagementContext } from '../context.ts'
import type { Playlist } from '../rules/playlist.ts'
import { mayUseAsOwn } from '../rules/rights.ts'
import { findScope } from './find-scope.ts'

export type PlaylistAccessContext = Pick<EngagementContext, 'projections' | 'teams'>

/**
 * The playlist if the person may watch it. It is assigned to them, or it is their own as staff, or
 * they review it because one of their people has it. Undefined for unknown and forbidden playlists.
 */
export async function findWatchablePlaylist(
  ctx: PlaylistAccessContext,
  person: Person,
  playlistId: string,
): Promise<Playlist | undefined> {
  const { projections } = ctx
  const playlist = await projections.findPlaylist(playlistId)
  if (!playlist || playlist.deletedAt !== null) return undefined
  if (mayUseAsOwn(person, playlist)) return playlist
  if (await projections.isAssigned(person.id, playlistId)) return playlist
  return (await reviewsPlaylist(ctx, person, playlistId)) ? playlist : undefined
}

/** Throws 404 `not_found`. */
export async function requireWatchablePlaylist(
  ctx: PlaylistAccessContext,
  person: Person,
  playlistId: string,
): Promise<Playlist> {
  return (await findWatchablePlaylist(ctx, person, playlistId)) ?? fail('not_found')
}

/** Whether one of the person's people has the playlist. */
export async function reviewsPlaylist(
  ctx: PlaylistAccessContext,
  person: Person,
  playlistId: string,
): Promise<boolean> {
  if (person.role === 'user') return false
  const people = (await findScope(ctx, person)) ?? []
  if (people.length === 0) return false
  return ctx.projections.assignments.hasAny(
    playlistId,
    people.map(({ id }) => id),
  )
}
