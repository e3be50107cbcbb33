import type { Person } from '@watchline/identity/people'
import type { PlaybackContext } from '../context.ts'
import type { FormerLeaders } from '../store/former-leaders.ts'

type Deps = Pick<PlaybackContext, 'formerLeaders' | 'people'>

/** The leaders of a deactivated person. A late event may have stored those of an active one. */
export async function findFormerLeaders(
  { formerLeaders }: Pick<Deps, 'formerLeaders'>,
  person: Person | undefined,
): Promise<FormerLeaders | undefined> {
  return person?.deactivatedAt ? formerLeaders.find(person.id) : undefined
}

/** The ids of the deactivated people who had this supervisor. */
export async function findFormerMembers({ formerLeaders, people }: Deps, supervisorId: string): Promise<string[]> {
  const ids = await formerLeaders.membersOf(supervisorId)
  const found = await Promise.all(ids.map(id => people.get(id)))
  return found.flatMap(person => (person?.deactivatedAt ? [person.id] : []))
}
