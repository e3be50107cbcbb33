import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { PlaybackContext } from '../context.ts'
import type { Playlist } from '../store/playlists.ts'

/**
 * The supervisors named, each once, if every one of them is the manager's own. Whoever does not seem to be is asked of the auth
 * service once: the request that brought them may have been approved a moment ago.
 */
export async function ownSupervisors(
  ctx: Pick<PlaybackContext, 'people'>,
  manager: Pick<Person, 'id'>,
  supervisorIds: readonly string[],
): Promise<string[]> {
  const named = [...new Set(supervisorIds)]
  const isOwn = (person: Person | undefined) => person?.role === 'supervisor' && person.managerId === manager.id
  const known = await Promise.all(named.map(async id => ({ id, person: await ctx.people.get(id) })))
  for (const { id, person } of known) {
    if (isOwn(person) || isOwn(await ctx.people.find(id, (person?.version ?? 0) + 1))) continue
    fail('outside_team', { detail: 'A playlist can be shared with your own supervisors only.' })
  }
  return named
}

/** Tells of the supervisors who have the playlist now and did not have it before. */
export function tellOfSharing(tx: Transaction, { before, after }: { before: Playlist | undefined; after: Playlist }) {
  const added = after.sharedWith.filter(id => !before?.sharedWith.includes(id))
  if (added.length === 0) return
  tx.publish('playlist.shared', after.id, {
    playlist_id: after.id,
    title: after.title,
    by: after.createdBy,
    shared_with: added,
  })
}
