import type { SavedClaimRules } from '@watchline/contracts/claim-rules'
import { limits } from '@watchline/contracts/limits'
import type { AuthContext } from '../context.ts'
import { requiredLeaderRole } from '../rules/claim-rules.ts'

/** The rules with the current names, and the latest people to whom they could not be applied. */
export async function presentClaimRules({
  config,
  claimRules,
  signInClaims,
  people,
}: Pick<AuthContext, 'config' | 'claimRules' | 'signInClaims' | 'people'>): Promise<SavedClaimRules> {
  const [{ rules, version, updatedAt, updatedBy }, problems] = await Promise.all([
    claimRules.read(),
    signInClaims.listProblems(limits.claimProblemsShown),
  ])
  const found = await people.byIds([
    ...rules.flatMap(rule => rule.leader_id ?? []),
    ...problems.latest.flatMap(({ personId, problem }) => [personId, problem?.leaderId ?? personId]),
  ])
  const peopleById = new Map(found.map(person => [person.id, person]))
  return {
    claims: [...config.claimNames],
    rules: rules.map(({ claim, value, role, leader_id }) => {
      const leader = leader_id === null ? undefined : peopleById.get(leader_id)
      const available = leader?.role === requiredLeaderRole(role) && !leader?.deactivatedAt
      return {
        claim,
        value,
        role,
        leader: leader_id === null ? null : { id: leader_id, name: leader?.name ?? 'Unknown', available },
      }
    }),
    version,
    updated_at: updatedAt === null ? null : new Date(updatedAt).toISOString(),
    updated_by: updatedBy,
    problems: problems.latest.flatMap(({ personId, problem, at }) => {
      const person = peopleById.get(personId)
      if (!person || !problem) return []
      const { id, name, email, emailVerified } = person
      return {
        user: { id, name, email, email_verified: emailVerified },
        problem: problem.kind,
        leader_name: peopleById.get(problem.leaderId)?.name ?? null,
        at: new Date(at).toISOString(),
      }
    }),
    problem_count: problems.count,
  }
}
