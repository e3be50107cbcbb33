import type { ClaimRule } from '@watchline/contracts/claim-rules'
import { fail, failField } from '@watchline/kit/core/errors'
import type { AuthContext } from '../context.ts'
import { describeRule, requiredLeaderRole } from '../rules/claim-rules.ts'
import type { Actor } from '../store/audit.ts'

type Deps = Pick<AuthContext, 'outbox' | 'people' | 'claimRules' | 'audit' | 'clock' | 'config'>

const maxAuditText = 1_000

/** Replaces the rules of a version. Fails with `edited_elsewhere` if there is a newer one. */
export function saveClaimRules(
  deps: Deps,
  { rules, version, by }: { rules: readonly ClaimRule[]; version: number; by: Actor },
): Promise<void> {
  const { outbox, claimRules, audit, clock } = deps
  return outbox.transaction(async tx => {
    const previous = await claimRules.read(tx.session)
    const at = clock.now()
    if (previous.version !== version || !(await claimRules.replace({ rules, version, at, by }, tx.session)))
      fail('edited_elsewhere')
    const [before, after] = [previous.rules.map(describeRule), rules.map(describeRule)]
    const listMissing = (lines: string[], from: string[]) =>
      lines
        .filter(line => !from.includes(line))
        .join('; ')
        .slice(0, maxAuditText) || null
    await audit.add(
      {
        at,
        action: 'claim_rules_changed',
        by,
        subject: null,
        before: { rules: before.length },
        after: { rules: after.length, added: listMissing(after, before), removed: listMissing(before, after) },
      },
      tx.session,
    )
  })
}

/** Fails with `invalid` for a claim that is not remembered, and for a leader who cannot lead. */
export async function checkClaimRules(
  { people, config }: Pick<Deps, 'people' | 'config'>,
  rules: readonly ClaimRule[],
): Promise<void> {
  const leaders = new Map((await people.byIds(rules.flatMap(rule => rule.leader_id ?? []))).map(row => [row.id, row]))
  for (const [index, { claim, role, leader_id }] of rules.entries()) {
    if (!config.claimNames.includes(claim))
      failField(`rules.${index}.claim`, `is not among the claims of OIDC_CLAIMS (${config.claimNames.join(', ')})`)
    const leading = requiredLeaderRole(role)
    const leader = leader_id === null ? undefined : leaders.get(leader_id)
    if (leader_id !== null && (leader?.role !== leading || leader?.deactivatedAt))
      failField(`rules.${index}.leader_id`, `is not an active ${leading}`)
  }
}
