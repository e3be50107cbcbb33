import type { Person } from '@watchline/identity/people'
import { fail, failField } from '@watchline/kit/core/errors'
import type { PlaybackContext } from '../context.ts'
import { isProblem, type Position, type PositionProblem, readPosition } from '../rules/position.ts'
import { holdsPlaylist } from '../rules/rights.ts'
import { assignmentKey } from '../store/assignments.ts'
import type { Playlist } from '../store/playlists.ts'
import { subordinates } from './find-subordinates.ts'

/**
 * The playlist, if this person may watch it: assigned to them, theirs as staff, or one they review because somebody of theirs has it.
 * Undefined for unknown and foreign ones alike.
 */
export async function findWatchable(
  ctx: PlaybackContext,
  person: Person,
  playlistId: string,
): Promise<Playlist | undefined> {
  const playlist = await lookUp(ctx.playlists.cached, playlistId)
  if (!playlist) return undefined
  if (holdsPlaylist(person, playlist)) return playlist
  const assignment = await lookUp(ctx.assignments.cached, assignmentKey(person.id, playlistId))
  return assignment || (await reviews(ctx, person, playlistId)) ? playlist : undefined
}

async function reviews(ctx: PlaybackContext, person: Person, playlistId: string): Promise<boolean> {
  if (person.role === 'user') return false
  const people = (await subordinates(ctx, person)) ?? []
  return (
    people.length > 0 &&
    ctx.assignments.hasAny(
      playlistId,
      people.map(each => each.id),
    )
  )
}

export async function watchable(ctx: PlaybackContext, person: Person, playlistId: string): Promise<Playlist> {
  return (await findWatchable(ctx, person, playlistId)) ?? fail('not_found')
}

/** From memory, and from MongoDB before saying no: another replica may have written it a moment ago. */
async function lookUp<T>(
  cache: { get(key: string): Promise<T | undefined>; forget(key: string): void },
  key: string,
): Promise<T | undefined> {
  const known = await cache.get(key)
  if (known) return known
  cache.forget(key)
  return cache.get(key)
}

/** The position that was meant; refuses with the wire's name of what is wrong. */
export function positionIn(
  playlist: Playlist,
  given: Parameters<typeof readPosition>[1],
  names: Record<PositionProblem['part'], string>,
): Position {
  const read = readPosition(playlist.videos, given, isEdited(playlist))
  if (!isProblem(read)) return read
  failField(names[read.part], read.message)
}

/** Players that began before may still count its videos as they were. */
export function isEdited(playlist: Playlist): boolean {
  return playlist.revision > 1
}
