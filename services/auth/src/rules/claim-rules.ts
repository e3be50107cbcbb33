import type { ClaimRule } from '@watchline/contracts/claim-rules'
import { limits } from '@watchline/contracts/limits'
import type { AssignableRole, Role } from '@watchline/contracts/people'
import type { ProviderClaims } from './account.ts'

/** The values of one claim, such as the groups of a person. */
export interface ClaimValues {
  name: string
  values: string[]
}

/**
 * The claims that rules may name, with all values of bounded length. A name is that of a claim, or
 * a path with dots, such as `realm_access.roles`. Claims without values are left out.
 */
export function readClaims(claims: ProviderClaims, names: readonly string[]): ClaimValues[] {
  return names
    .map(name => ({ name, values: toValues(Object.hasOwn(claims, name) ? claims[name] : findByPath(claims, name)) }))
    .filter(({ values }) => values.length > 0)
}

function findByPath(claims: ProviderClaims, path: string): unknown {
  let value: unknown = claims
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

function toValues(claim: unknown): string[] {
  const values = [claim]
    .flat()
    .filter(value => ['string', 'number', 'boolean'].includes(typeof value))
    .map(value => String(value).trim())
    .filter(value => value !== '' && value.length <= limits.claimValueMaxLength)
  return [...new Set(values)]
}

/**
 * The claims as they are stored. Rules compare all values of a sign-in; previews and groups have
 * only these.
 */
export function cutClaims(claims: readonly ClaimValues[]): ClaimValues[] {
  return claims.map(({ name, values }) => ({ name, values: values.slice(0, limits.claimValuesMax) }))
}

/** The position of the first rule that matches; -1 for none. */
export function findRule(rules: readonly ClaimRule[], claims: readonly ClaimValues[]): number {
  return rules.findIndex(rule => claims.some(({ name, values }) => name === rule.claim && values.includes(rule.value)))
}

interface RoleAndLeader {
  role: Role
  supervisorId: string | null
  managerId: string | null
}

export interface ClaimOutcome {
  role: AssignableRole
  /** The supervisor of a user, the manager of a supervisor. */
  leaderId: string | null
}

/** The leader that the person's role gives them. */
export function leaderOf({ role, supervisorId, managerId }: RoleAndLeader): string | null {
  return role === 'supervisor' ? managerId : supervisorId
}

/**
 * The role and leader that a rule gives a person. A rule without a leader leaves that of an
 * unchanged role.
 */
export function outcomeOf(rule: ClaimRule, person: RoleAndLeader): ClaimOutcome {
  const keptLeader = person.role === rule.role ? leaderOf(person) : null
  return { role: rule.role, leaderId: rule.leader_id ?? keptLeader }
}

/** The role that the leader of a rule must have; undefined for roles without one. */
export function requiredLeaderRole(role: AssignableRole): 'supervisor' | 'manager' | undefined {
  if (role === 'user') return 'supervisor'
  return role === 'supervisor' ? 'manager' : undefined
}

/** A rule in one line, for the audit log. */
export function describeRule({ claim, value, role }: ClaimRule): string {
  return `${claim} contains ${value}: ${role}`
}
