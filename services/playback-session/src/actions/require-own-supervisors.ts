import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { PlaybackContext } from '../context.ts'

/**
 * Returns the unique ids if all of them are supervisors of this manager, otherwise fails. A refusal
 * is checked once with the auth service: the local projection may be older than the latest change.
 */
export async function requireOwnSupervisors(
  ctx: Pick<PlaybackContext, 'people'>,
  manager: Pick<Person, 'id'>,
  supervisorIds: readonly string[],
): Promise<string[]> {
  const uniqueIds = [...new Set(supervisorIds)]
  const isOwn = (person: Person | undefined) => person?.role === 'supervisor' && person.managerId === manager.id
  const candidates = await Promise.all(uniqueIds.map(async id => ({ id, person: await ctx.people.get(id) })))
  for (const { id, person } of candidates) {
    if (isOwn(person) || isOwn(await ctx.people.find(id, (person?.version ?? 0) + 1))) continue
    fail('outside_team', { detail: 'A playlist can be shared with your own supervisors only.' })
  }
  return uniqueIds
}
