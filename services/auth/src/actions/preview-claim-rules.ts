import type { ClaimChange, ClaimProblem, ClaimRule } from '@watchline/contracts/claim-rules'
import { limits } from '@watchline/contracts/limits'
import type { AuthContext } from '../context.ts'
import { findRule, leaderOf, outcomeOf, requiredLeaderRole } from '../rules/claim-rules.ts'
import type { PersonRecord } from '../store/person-model.ts'

const batchSize = 1_000

interface PlannedChange extends Omit<ClaimChange, 'user' | 'leader_before' | 'leader_after'> {
  person: PersonRecord
  leaderBefore: string | null
  leaderAfter: string | null
}

/**
 * The changes that the rules would make, by the claims of each person's latest sign-in, in the
 * order of their ids. It counts the seats that earlier changes would reserve, but none that they
 * would release.
 */
export async function previewClaimRules(
  { people, signInClaims }: Pick<AuthContext, 'people' | 'signInClaims'>,
  rules: readonly ClaimRule[],
) {
  const seats = await createSeatCount(people, rules)
  const shown: PlannedChange[] = []
  let checked = 0
  let changeCount = 0
  let after = ''
  for (;;) {
    const page = await signInClaims.afterId(after, batchSize)
    const last = page.at(-1)
    if (!last) break
    after = last.personId
    checked += page.length
    const matches = page
      .map(({ personId, claims }) => ({ personId, rule: findRule(rules, claims) }))
      .filter(({ rule }) => rule >= 0)
    const peopleById = new Map((await people.byIds(matches.map(match => match.personId))).map(row => [row.id, row]))
    for (const { personId, rule } of matches) {
      const person = peopleById.get(personId)
      const change = person && planChange(person, rule, rules[rule]!, seats)
      if (!change) continue
      changeCount += 1
      if (shown.length < limits.claimChangesShown) shown.push(change)
    }
  }
  const names = await people.namesById(shown.flatMap(({ leaderBefore, leaderAfter }) => [leaderBefore, leaderAfter]))
  const nameOf = (id: string | null) => (id && names.get(id)) ?? null
  const changes = shown.map(({ person, leaderBefore, leaderAfter, ...change }) => ({
    ...change,
    user: { id: person.id, name: person.name, email: person.email, email_verified: person.emailVerified },
    leader_before: nameOf(leaderBefore),
    leader_after: nameOf(leaderAfter),
  }))
  return { checked, changes, change_count: changeCount }
}

type SeatCount = Awaited<ReturnType<typeof createSeatCount>>

/** Counts the seats that the changes of the preview would reserve. */
async function createSeatCount(people: AuthContext['people'], rules: readonly ClaimRule[]) {
  const leaderIds = rules.flatMap(rule => rule.leader_id ?? [])
  const leaders = new Map((await people.byIds(leaderIds)).map(leader => [leader.id, leader]))
  const used = new Map<string, number>()
  return {
    /** Reserves a seat under this leader. Returns the problem instead if there is one. */
    reserveSeat: (leaderId: string, role: 'supervisor' | 'manager'): ClaimProblem | null => {
      const leader = leaders.get(leaderId)
      if (leader?.role !== role || leader.deactivatedAt) return 'not_a_leader'
      const count = (used.get(leaderId) ?? leader.teamSize) + 1
      if (role === 'supervisor' && count > limits.supervisorCapacity) return 'full'
      used.set(leaderId, count)
      return null
    },
  }
}

function planChange(person: PersonRecord, index: number, rule: ClaimRule, seats: SeatCount): PlannedChange | undefined {
  if (person.role === 'admin' || person.deactivatedAt) return undefined
  const before = leaderOf(person)
  const { role, leaderId } = outcomeOf(rule, person)
  if (role === person.role && leaderId === before) return undefined
  const leading = requiredLeaderRole(role)
  const isNewLeader = leaderId !== null && (leaderId !== before || role !== person.role)
  const problem = isNewLeader && leading ? seats.reserveSeat(leaderId, leading) : null
  const keptLeader = role === person.role ? before : null
  return {
    person,
    rule: index,
    role_before: person.role,
    role_after: role,
    leaderBefore: before,
    leaderAfter: problem ? keptLeader : leaderId,
    problem,
  }
}
