import { limits } from '@watchline/contracts/limits'
import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import type { PlaybackContext } from '../context.ts'
import { presentPlaylist } from '../routes/presenters.ts'
import { holdsPlaylist, mayAssignTo, seesEverything } from '../rules/rights.ts'
import { type Assignees, assignmentKey } from '../store/assignments.ts'
import type { Playlist } from '../store/playlists.ts'
import { subordinates } from './find-subordinates.ts'

/** The playlist, if the caller may assign it; somebody else's is as unknown as one that never was. */
export async function assignable(ctx: PlaybackContext, person: Person, playlistId: string): Promise<Playlist> {
  const [playlist] = await ctx.playlists.byIds([playlistId])
  return playlist && holdsPlaylist(person, playlist) ? playlist : fail('not_found')
}

/**
 * The people named, each once, if the caller may assign to every one of them. Whoever does not seem to belong is asked of the
 * auth service once: the change that brought them may be a moment old.
 */
export async function assignablePeople(
  ctx: PlaybackContext,
  caller: Person,
  personIds: readonly string[],
  refusal: 'outside_team' | 'not_found' = 'outside_team',
): Promise<string[]> {
  const named = [...new Set(personIds)]
  const known = await Promise.all(named.map(async id => ({ id, person: await ctx.people.get(id) })))
  for (const { id, person } of known) {
    if (person && mayAssignTo(caller, person)) continue
    const latest = await ctx.people.find(id, (person?.version ?? 0) + 1)
    if (!latest && seesEverything(caller)) fail('not_found', { detail: 'There is no such person.' })
    if (!latest || !mayAssignTo(caller, latest)) fail(refusal)
  }
  return named
}

/** Assigns to those who do not have it yet, dated now, and tells of them; answers who they are. */
export async function assignTo(
  ctx: PlaybackContext,
  { playlist, by, personIds }: { playlist: Playlist; by: string; personIds: readonly string[] },
): Promise<string[]> {
  const assign = () =>
    ctx.outbox.transaction(async tx => {
      const now = new Date(ctx.clock.now())
      const assignedDate = (await ctx.playlists.turn(playlist.id, now, tx.session)) ?? fail('not_found')
      const assignment = { playlistId: playlist.id, assignedBy: by, assignedDate }
      const added = await ctx.assignments.add(assignment, personIds, tx.session)
      if (added.length > 0) {
        tx.publish('playlist.assigned', playlist.id, {
          playlist_id: playlist.id,
          title: playlist.title,
          by,
          assigned: added,
          assigned_date: assignedDate.toISOString(),
        })
      }
      return added
    })
  const added = await assign().catch(error => {
    // Somebody assigned one of them in the same moment: now they have it.
    if (isDuplicateKey(error)) return assign()
    throw error
  })
  for (const personId of added) ctx.assignments.cached.forget(assignmentKey(personId, playlist.id))
  return added
}

/** To whom playlists are assigned, as far as it is the caller's business; of everybody's the latest thousand. */
export async function assigneesFor(
  ctx: PlaybackContext,
  person: Person,
  playlists: readonly Playlist[],
): Promise<Map<string, Assignees>> {
  if (playlists.length === 0) return new Map()
  const people = await subordinates(ctx, person)
  return ctx.assignments.assignees(
    playlists.map(playlist => playlist.id),
    people ? { personIds: people.map(each => each.id) } : { everybody: true, limit: limits.assignMaxPeople },
  )
}

export async function presentFor(ctx: PlaybackContext, person: Person, playlists: readonly Playlist[]) {
  const assignees = await assigneesFor(ctx, person, playlists)
  const own = person.role === 'manager' ? await subordinates(ctx, person) : []
  return playlists.map(playlist =>
    presentPlaylist(playlist, assignees.get(playlist.id), shownSharing(person, playlist, own)),
  )
}

/**
 * Whom a playlist is shared with is its manager's business, as far as they are their supervisors, and of those who see everything; a
 * supervisor learns of themselves.
 */
function shownSharing(person: Person, { sharedWith, createdBy }: Playlist, own: readonly Person[] = []): string[] {
  if (seesEverything(person)) return sharedWith
  const known = createdBy === person.id ? new Set(own.map(each => each.id)) : new Set([person.id])
  return sharedWith.filter(id => known.has(id))
}
