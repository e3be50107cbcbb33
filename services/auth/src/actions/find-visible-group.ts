import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { AuthContext } from '../context.ts'
import type { GroupRecord } from '../store/groups.ts'

/** A group that the caller may see: directors and administrators see all, others those that they may assign to. */
export async function findVisibleGroup(
  { groups }: Pick<AuthContext, 'groups'>,
  id: string,
  person: Pick<Person, 'id' | 'role'>,
): Promise<GroupRecord> {
  const group = await groups.byId(id)
  const seesAll = person.role === 'director' || person.role === 'admin'
  if (!group || !(seesAll || group.assigners.includes(person.id))) fail('not_found')
  return group
}
