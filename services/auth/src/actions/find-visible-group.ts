import { seesEverything } from '@watchline/contracts/people'
import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { AuthContext } from '../context.ts'
import type { GroupRecord } from '../store/groups.ts'

/**
 * A group that the caller may see: directors and administrators see all, others those that they may
 * assign to.
 */
export async function findVisibleGroup(
  { groups }: Pick<AuthContext, 'groups'>,
  id: string,
  person: Pick<Person, 'id' | 'role'>,
): Promise<GroupRecord> {
  const group = await groups.byId(id)
  if (!group || !(seesEverything(person) || group.assigners.includes(person.id))) fail('not_found')
  return group
}

/** The same for the viewer of another service; without one, every group is found. */
export async function findGroupFor(
  ctx: Pick<AuthContext, 'groups' | 'people'>,
  id: string,
  viewerId: string | undefined,
): Promise<GroupRecord> {
  if (viewerId === undefined) return (await ctx.groups.byId(id)) ?? fail('not_found')
  return findVisibleGroup(ctx, id, (await ctx.people.byId(viewerId)) ?? fail('not_found'))
}
