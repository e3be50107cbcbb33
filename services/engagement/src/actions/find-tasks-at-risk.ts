import { nameKey } from '@watchline/identity/name-key'
import type { Person } from '@watchline/identity/people'
import type { EngagementContext } from '../context.ts'
import { createRiskList, type RiskList } from '../rules/risk-list.ts'
import { findMemberRisks } from './find-member-risks.ts'
import { pickFromScope, type ScopeFilter, walkScope } from './find-scope.ts'
import { loadMemberTasks, type MemberTasks } from './load-members.ts'
import { answersFromMemory } from './summarise-scope.ts'

type Deps = Pick<EngagementContext, 'teams' | 'people' | 'watchers' | 'projections' | 'clock' | 'everybodyFigures'>

const peopleAtOnce = 200

export interface TasksAtRisk {
  list: RiskList
  /** Those of these people whom the caller may see, as they are now. */
  findMembers(personIds: readonly string[]): Promise<MemberTasks[]>
}

/**
 * The tasks at risk in the caller's scope, or in the part that they ask for. Those of everybody
 * come from memory: usually at most half a minute old, never older than five minutes. The members
 * of another scope are read once.
 */
export async function findTasksAtRisk(ctx: Deps, person: Person, filter: ScopeFilter): Promise<TasksAtRisk> {
  if (answersFromMemory(person, filter))
    return {
      list: (await ctx.everybodyFigures.get()).tasksAtRisk,
      findMembers: async personIds => loadMemberTasks(ctx, await pickFromScope(ctx, person, personIds, filter)),
    }
  const members = new Map<string, MemberTasks>()
  const now = ctx.clock.now()
  const tasks = []
  for await (const people of walkScope(ctx, person, peopleAtOnce, filter))
    for (const member of await loadMemberTasks(ctx, people)) {
      const found = findMemberRisks(member, now)
      if (found.length > 0) members.set(member.person.id, member)
      tasks.push(...found)
    }
  return {
    list: createRiskList(tasks),
    findMembers: async personIds => personIds.flatMap(id => members.get(id) ?? []),
  }
}

const nameKeys = new WeakMap<RiskList, string[]>()

/** The people of the list with this part in their name, as `pageRisks` takes them. */
export function findByName(list: RiskList, search: string): Uint8Array {
  const keys = nameKeys.get(list) ?? list.names.map(nameKey)
  nameKeys.set(list, keys)
  const searchKey = nameKey(search)
  return Uint8Array.from(keys, key => (key.includes(searchKey) ? 1 : 0))
}
