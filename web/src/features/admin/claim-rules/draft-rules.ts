import type { ClaimRule, SavedClaimRules } from '@watchline/contracts/claim-rules'
import { limits } from '@watchline/contracts/limits'
import type { AssignableRole } from '@watchline/contracts/people'
import type { Failure } from '../../../api/failure.ts'
import type { PickedLeader } from '../people/use-person-changes.ts'
import { describePasswordFailure } from '../sign-in/password-failure.ts'

/** A rule in the form. `key` stays with it when it moves. */
export interface DraftRule {
  key: number
  claim: string
  value: string
  role: AssignableRole
  leader: PickedLeader
}

/** The leader that a role can have, within a sentence. */
export const leadingRoles: Partial<Record<AssignableRole, 'supervisor' | 'manager'>> = {
  user: 'supervisor',
  supervisor: 'manager',
}

export function toDrafts({ rules }: Pick<SavedClaimRules, 'rules'>): DraftRule[] {
  return rules.map(({ leader, ...rule }, key) => ({
    ...rule,
    key,
    leader: leader && { id: leader.id, name: leader.name },
  }))
}

export function toRules(drafts: readonly DraftRule[]): ClaimRule[] {
  return drafts.map(({ claim, value, role, leader }) => ({
    claim,
    value: value.trim(),
    role,
    leader_id: leader?.id ?? null,
  }))
}

/** The reason of a refusal, with the number of the rule as the form shows it. */
export function explainRefusal(failure: Failure, defaultMessage: string): string {
  const [problem] = failure.errors ?? []
  if (problem?.path === 'rules') return `There are more than ${limits.claimRulesMax} rules. Please remove some.`
  const [, index] = /^rules\.(\d+)\./.exec(problem?.path ?? '') ?? []
  if (!problem || index === undefined) return describePasswordFailure(failure, defaultMessage)
  if (problem.path.endsWith('.value'))
    return `Rule ${Number(index) + 1}: the value needs 1 to ${limits.claimValueMaxLength} characters.`
  const subject = problem.path.endsWith('.leader_id') ? 'the chosen person' : 'it'
  return `Rule ${Number(index) + 1}: ${subject} ${problem.message}.`
}
