import { seesEverything } from '@watchline/contracts/people'
import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { PlaybackContext } from '../context.ts'
import type { Playlist } from '../rules/playlist.ts'
import { mayAssign, mayAssignTo, mayChangeTasksOf } from '../rules/rights.ts'
import { findFormerLeaders } from './find-former-leaders.ts'

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
  ctx: Pick<PlaybackContext, 'playlists' | 'people' | 'assignments' | 'formerLeaders'>,
  caller: Person,
  playlistId: string,
  personIds: readonly string[],
): Promise<{ playlist: Playlist; personIds: string[] }> {
  const playlist = (await ctx.playlists.byIds([playlistId]))[0] ?? fail('not_found')
  const isAssignable = mayAssign(caller, playlist)
  if (!isAssignable && !(await ctx.assignments.hasAny(playlist.id, personIds))) fail('not_found')
  const mayChange = async (person: Person) =>
    mayChangeTasksOf(caller, person, (await findFormerLeaders(ctx, person))?.supervisorId)
  const refuse = async () =>
    isAssignable ? fail('outside_team', { detail: 'Only tasks of your own team can be changed.' }) : fail('not_found')
  return { playlist, personIds: await requirePeople(ctx, caller, personIds, mayChange, refuse) }
}

/**
 * Returns the unique ids if the caller may assign to all of these people, and remind them,
 * otherwise fails. A caller who may change the tasks of a deactivated person learns why there are
 * no new ones.
 */
export async function requireAssignablePeople(
  ctx: Pick<PlaybackContext, 'people' | 'formerLeaders'>,
  caller: Person,
  personIds: readonly string[],
): Promise<string[]> {
  const refuse = async (person: Person | undefined) => {
    const former = await findFormerLeaders(ctx, person)
    if (person && mayChangeTasksOf(caller, person, former?.supervisorId))
      fail('conflict', { detail: `${person.name} is deactivated, so they get no new tasks or reminders.` })
    return fail('outside_team')
  }
  return requirePeople(ctx, caller, personIds, async person => mayAssignTo(caller, person), refuse)
}

/**
 * Returns the unique ids if the caller has the right for all of these people. A refusal is checked
 * once with the auth service: the local projection may be older than the latest change.
 */
async function requirePeople(
  ctx: Pick<PlaybackContext, 'people'>,
  caller: Person,
  personIds: readonly string[],
  hasRight: (person: Person) => Promise<boolean>,
  refuse: (person: Person | undefined) => Promise<never>,
): Promise<string[]> {
  const uniqueIds = [...new Set(personIds)]
  const candidates = await Promise.all(uniqueIds.map(async id => ({ id, person: await ctx.people.get(id) })))
  for (const { id, person } of candidates) {
    if (person && (await hasRight(person))) continue
    const latest = await ctx.people.find(id, (person?.version ?? 0) + 1)
    if (!latest && seesEverything(caller)) fail('not_found', { detail: 'There is no such person.' })
    if (!latest || !(await hasRight(latest))) await refuse(latest)
  }
  return uniqueIds
}
