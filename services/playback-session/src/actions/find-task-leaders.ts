import { seesEverything } from '@watchline/contracts/people'
import type { Person } from '@watchline/identity/people'
import type { PlaybackContext } from '../context.ts'
import { findFormerLeaders } from './find-former-leaders.ts'

type Deps = Pick<PlaybackContext, 'people' | 'formerLeaders'>

/**
 * The people who can help if a person cannot complete a task. The first of these counts: the
 * supervisor (of a deactivated person, the former one), that one's manager, the assigner, the
 * assigner's manager. If none of them is active staff, it is every director and administrator.
 */
export async function findTaskLeaders(
  ctx: Deps,
  person: Person | undefined,
  assignedBy: string,
  listStaff = () => ctx.people.staff(),
): Promise<string[]> {
  const supervisorId = person?.supervisorId ?? (await findFormerLeaders(ctx, person))?.supervisorId
  for (const id of [supervisorId, assignedBy]) {
    if (!id) continue
    const leader = await ctx.people.get(id)
    if (leader && isActiveStaff(leader)) return [leader.id]
    const managerId = leader?.managerId ?? (await findFormerLeaders(ctx, leader))?.managerId
    const manager = managerId ? await ctx.people.get(managerId) : undefined
    if (manager && isActiveStaff(manager)) return [manager.id]
  }
  return (await listStaff())
    .filter(seesEverything)
    .map(({ id }) => id)
    .sort()
}

function isActiveStaff({ role, deactivatedAt, erasedAt }: Person): boolean {
  return role !== 'user' && !deactivatedAt && !erasedAt
}
