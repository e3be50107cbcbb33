import type { GroupSource } from '@watchline/contracts/groups'
import type { Role } from '@watchline/contracts/people'
import type { ClaimValues } from './claim-rules.ts'

/** The facts that decide which groups a person belongs to. */
export interface MembershipFacts {
  role: Role
  isDeactivated: boolean
  supervisorId: string | null
  /** The manager of the person's supervisor. */
  managerId: string | null
  /** Of the latest sign-in. */
  claims: readonly ClaimValues[]
}

/** The source of a dynamic group: its members change automatically. */
export type DynamicSource = Exclude<GroupSource, { kind: 'manual' }>

/** Administrators and deactivated people are in no group. */
export function mayBeMember({ role, isDeactivated }: Pick<MembershipFacts, 'role' | 'isDeactivated'>): boolean {
  return role !== 'admin' && !isDeactivated
}

/** Whether the source makes the person a member. */
export function matchesSource(source: DynamicSource, facts: MembershipFacts): boolean {
  if (!mayBeMember(facts)) return false
  switch (source.kind) {
    case 'team':
      return facts.role === 'user' && facts.supervisorId === source.supervisor_id
    case 'manager':
      return facts.role === 'user' && facts.managerId === source.manager_id
    case 'claim':
      return facts.claims.some(({ name, values }) => name === source.claim && values.includes(source.value))
  }
}

/** The role of the person whose people are the members; undefined for other sources. */
export function leadingRoleOf(source: GroupSource): 'supervisor' | 'manager' | undefined {
  if (source.kind === 'team') return 'supervisor'
  return source.kind === 'manager' ? 'manager' : undefined
}

/** The supervisor or manager whose people are the members. */
export function leaderIdOf(source: GroupSource): string | undefined {
  if (source.kind === 'team') return source.supervisor_id
  return source.kind === 'manager' ? source.manager_id : undefined
}
