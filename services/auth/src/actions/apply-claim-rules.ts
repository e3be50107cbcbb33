import { isDeepStrictEqual } from 'node:util'
import { ServiceError } from '@watchline/kit/core/errors'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { AuthContext } from '../context.ts'
import { type ClaimValues, cutClaims, findRule, requiredLeaderRole } from '../rules/claim-rules.ts'
import type { PersonRecord } from '../store/person-model.ts'
import type { AppliedProblem } from '../store/sign-in-claims.ts'
import { changeManager } from './assign-manager.ts'
import { type ChangeRoleDeps, changeRole } from './assign-role.ts'
import { changeTeam } from './assign-supervisor.ts'

export type ApplyClaimRulesDeps = ChangeRoleDeps & Pick<AuthContext, 'claimRules' | 'signInClaims'>

/**
 * Applies the first rule that matches the claims of a sign-in, in its transaction, and remembers
 * the claims for previews. A full team does not prevent the sign-in: the person gets the role, and
 * the audit log and the settings show the problem.
 */
export async function applyClaimRules(
  deps: ApplyClaimRulesDeps,
  { person, claims, tx }: { person: PersonRecord; claims: ClaimValues[]; tx: Transaction },
): Promise<PersonRecord> {
  const { claimRules, signInClaims, audit, people, clock } = deps
  const { rules } = await claimRules.read(tx.session)
  const rule = rules[findRule(rules, claims)]
  let changed = person
  let problem: AppliedProblem | null = null
  if (rule && person.role !== 'admin' && !person.deactivatedAt) {
    const facts = { claim: rule.claim, claim_value: rule.value }
    if (person.role !== rule.role) changed = await changeRole(deps, { person, role: rule.role, by: null, tx, facts })
    const leading = requiredLeaderRole(rule.role)
    if (leading && rule.leader_id) {
      try {
        changed = await changeLeader(deps, { person: changed, leaderId: rule.leader_id, facts, tx })
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        problem = { kind: error.code === 'supervisor_full' ? 'full' : 'not_a_leader', leaderId: rule.leader_id }
      }
    }
    const previous = await signInClaims.byPerson(person.id, tx.session)
    // Once, not at every sign-in until somebody resolves it.
    if (problem && !isDeepStrictEqual(previous?.problem, problem)) {
      const names = await people.namesById([problem.leaderId], tx.session)
      const name = names.get(problem.leaderId) ?? null
      await audit.add(
        {
          at: clock.now(),
          action: 'claim_rule_not_applied',
          by: null,
          subject: changed,
          before: {},
          after: { ...facts, reason: problem.kind, [`${leading}_id`]: problem.leaderId, [`${leading}_name`]: name },
        },
        tx.session,
      )
    }
  }
  await signInClaims.save({ personId: person.id, claims: cutClaims(claims), problem, at: clock.now() }, tx.session)
  return changed
}

interface LeaderChange {
  person: PersonRecord
  leaderId: string
  facts: Record<string, string>
  tx: Transaction
}

/** A refused change of manager or team has written nothing, so the transaction can go on. */
function changeLeader(deps: ChangeRoleDeps, { person, leaderId, facts, tx }: LeaderChange): Promise<PersonRecord> {
  return person.role === 'supervisor'
    ? changeManager(deps, { supervisor: person, managerId: leaderId, by: null, tx, facts })
    : changeTeam(deps, { user: person, supervisorId: leaderId, by: null, tx, facts })
}
