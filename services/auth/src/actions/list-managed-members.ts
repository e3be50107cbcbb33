import type { AuthContext } from '../context.ts'

type Deps = Pick<AuthContext, 'teams' | 'groupMembers'>

/** The users of a manager's teams who are members of the group, by id. */
export async function listManagedMembers({ teams, groupMembers }: Deps, groupId: string, managerId: string) {
  const members = await groupMembers.membersAmong(groupId, await teams.managedUserIds(managerId))
  return [...members].sort()
}

/** The groups with such members. */
export async function listManagedGroupIds({ teams, groupMembers }: Deps, managerId: string): Promise<string[]> {
  return groupMembers.groupIdsOf(await teams.managedUserIds(managerId))
}
