import { seesEverything } from '@watchline/contracts/people'
import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { AuthContext } from '../context.ts'
import type { GroupRecord } from '../store/groups.ts'
import { listManagedMembers } from './list-managed-members.ts'

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

/**
 * A group whose members a viewer of another service may see. Managers may, if one of their users is
 * a member; `listManagedMembers` names these. Without a viewer, every group is found.
 */
export async function findGroupFor(
  ctx: Pick<AuthContext, 'groups' | 'people' | 'teams' | 'groupMembers'>,
  id: string,
  viewerId: string | undefined,
): Promise<GroupRecord> {
  if (viewerId === undefined) return (await ctx.groups.byId(id)) ?? fail('not_found')
  const viewer = (await ctx.people.byId(viewerId)) ?? fail('not_found')
  if (viewer.role !== 'manager') return findVisibleGroup(ctx, id, viewer)
  if ((await listManagedMembers(ctx, id, viewerId)).length === 0) fail('not_found')
  return (await ctx.groups.byId(id)) ?? fail('not_found')
}
