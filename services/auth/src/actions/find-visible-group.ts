import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { AuthContext } from '../context.ts'
import type { GroupRecord } from '../store/groups.ts'

/** A group that the caller may see: a supervisor sees those that they may assign to. */
export async function findVisibleGroup(
  { groups }: Pick<AuthContext, 'groups'>,
  id: string,
  person: Pick<Person, 'id' | 'role'>,
): Promise<GroupRecord> {
  const group = await groups.byId(id)
  if (!group || (person.role === 'supervisor' && !group.assigners.includes(person.id))) fail('not_found')
  return group
}
