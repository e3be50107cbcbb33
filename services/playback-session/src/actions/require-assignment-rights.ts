import { seesEverything } from '@watchline/contracts/people'
import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { PlaybackContext } from '../context.ts'
import type { Playlist } from '../rules/playlist.ts'
import { mayAssign, mayAssignTo } from '../rules/rights.ts'

/** The playlist if the person may assign it. Undefined if it is unknown or the person may not. */
export async function findAssignablePlaylist(
  ctx: Pick<PlaybackContext, 'playlists'>,
  person: Person,
  playlistId: string,
): Promise<Playlist | undefined> {
  const [playlist] = await ctx.playlists.byIds([playlistId])
  return playlist && mayAssign(person, playlist) ? playlist : undefined
}

/**
 * Returns the playlist and the unique ids of people. Fails if the caller may not change one of
 * these people's assignments of it. After unsharing, the team's assignments stay, and the
 * supervisor may still change them.
 */
export async function requireChangeableAssignments(
  ctx: Pick<PlaybackContext, 'playlists' | 'people' | 'assignments'>,
  caller: Person,
  playlistId: string,
  personIds: readonly string[],
): Promise<{ playlist: Playlist; personIds: string[] }> {
  const playlist = (await ctx.playlists.byIds([playlistId]))[0] ?? fail('not_found')
  const isAssignable = mayAssign(caller, playlist)
  if (!isAssignable && !(await ctx.assignments.hasAny(playlist.id, personIds))) fail('not_found')
  const refusal = isAssignable ? 'outside_team' : 'not_found'
  return { playlist, personIds: await requireAssignablePeople(ctx, caller, personIds, refusal) }
}

/**
 * Returns the unique ids if the caller may assign to all of these people, otherwise fails. A
 * refusal is checked once with the auth service: the local projection may be older than the latest
 * change.
 */
export async function requireAssignablePeople(
  ctx: Pick<PlaybackContext, 'people'>,
  caller: Person,
  personIds: readonly string[],
  refusal: 'outside_team' | 'not_found' = 'outside_team',
): Promise<string[]> {
  const uniqueIds = [...new Set(personIds)]
  const candidates = await Promise.all(uniqueIds.map(async id => ({ id, person: await ctx.people.get(id) })))
  for (const { id, person } of candidates) {
    if (person && mayAssignTo(caller, person)) continue
    const latest = await ctx.people.find(id, (person?.version ?? 0) + 1)
    if (!latest && seesEverything(caller)) fail('not_found', { detail: 'There is no such person.' })
    if (!latest || !mayAssignTo(caller, latest)) fail(refusal)
  }
  return uniqueIds
}
