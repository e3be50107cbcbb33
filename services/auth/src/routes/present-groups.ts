import type { Group } from '@watchline/contracts/groups'
import type { AuthContext } from '../context.ts'
import { leaderIdOf, leadingRoleOf } from '../rules/group-membership.ts'
import type { GroupRecord } from '../store/groups.ts'

type Deps = Pick<AuthContext, 'people'>

/** Groups with the current names of their people. */
export async function presentGroups({ people }: Deps, groups: readonly GroupRecord[]): Promise<Group[]> {
  const ids = groups.flatMap(({ source, assigners }) => [...assigners, leaderIdOf(source) ?? []].flat())
  const peopleById = new Map((await people.byIds([...new Set(ids)])).map(person => [person.id, person]))
  const nameOf = (id: string) => peopleById.get(id)?.name ?? 'Unknown'

  function presentLeader(source: GroupRecord['source']): Group['leader'] {
    const id = leaderIdOf(source)
    if (id === undefined) return null
    const person = peopleById.get(id)
    const available = person?.role === leadingRoleOf(source) && !person?.deactivatedAt
    return { id, name: nameOf(id), available }
  }

  return groups.map(group => ({
    id: group.id,
    name: group.name,
    source: group.source,
    leader: presentLeader(group.source),
    assigners: group.assigners.map(id => ({ id, name: nameOf(id) })),
    member_count: group.memberCount,
    pending: group.isPending,
    version: group.version,
    created_at: new Date(group.createdAt).toISOString(),
  }))
}

export async function presentGroup(deps: Deps, group: GroupRecord): Promise<Group> {
  return (await presentGroups(deps, [group]))[0]!
}
