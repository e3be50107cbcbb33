import { groupMembersPerEvent } from '@watchline/contracts/events'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { AuthContext } from '../context.ts'
import { type MembershipFacts, matchesSource, mayBeMember } from '../rules/group-membership.ts'
import type { Membership } from '../store/group-members.ts'
import type { PersonRecord } from '../store/person-model.ts'

export type FactDeps = Pick<AuthContext, 'people' | 'signInClaims'>
export type MembershipDeps = FactDeps &
  Pick<AuthContext, 'outbox' | 'groups' | 'groupMembers' | 'membershipChecks' | 'clock'>

/** At most as many as one event about a group has room for. */
export const checkBatchSize = Math.min(100, groupMembersPerEvent)

interface CheckedPerson {
  record: PersonRecord
  facts: MembershipFacts
}

/**
 * Adds people to the dynamic groups that they belong to, and removes them from all groups that they
 * no longer belong to. Its transaction removes the requested checks of these people, so it
 * conflicts with every change of them that it has not read. Repeating it changes nothing.
 */
export function updateMemberships(deps: MembershipDeps, personIds: readonly string[]): Promise<void> {
  const { outbox, groups, groupMembers, membershipChecks, people, clock } = deps
  return outbox.transaction(async tx => {
    await membershipChecks.remove(personIds, tx.session)
    const checked = await readFacts(deps, personIds, tx)
    const memberships = await groupMembers.ofPeople(personIds, tx.session)
    const dynamicGroups = await groups.listDynamic(tx.session)
    const changes = planChanges(personIds, checked, memberships, dynamicGroups)
    for (const [groupId, { added, removed }] of changes) {
      const group = await groups.changeMembers(groupId, added.length - removed.length, tx.session)
      if (!group) continue
      const records = added.map(id => checked.get(id)!.record)
      await groupMembers.insert(groupId, records, clock.now(), tx.session)
      await groupMembers.remove(groupId, removed, tx.session)
      const data = { group_id: groupId, added, removed, revision: group.revision, by: null }
      tx.publish('group.members_changed', groupId, data)
    }
    await removeAssigners(deps, personIds, checked, tx)
    const memberIds = new Set(memberships.map(({ personId }) => personId))
    for (const { record } of checked.values())
      if (memberIds.has(record.id)) await groupMembers.updateCopies(record, tx.session)
    // A change of a supervisor’s manager moves the whole team between groups.
    const supervisorIds = [...checked.values()].filter(({ facts }) => facts.role === 'supervisor').map(idOf)
    if (supervisorIds.length > 0)
      await membershipChecks.request(await people.idsBelow({ supervisorIds }, tx.session), tx.session)
  })
}

const idOf = ({ record }: CheckedPerson) => record.id

/** The current facts of the people who exist. Without a transaction they may be outdated. */
export async function readFacts(
  { people, signInClaims }: FactDeps,
  personIds: readonly string[],
  tx?: Transaction,
): Promise<Map<string, CheckedPerson>> {
  const session = tx?.session ?? null
  const records = await people.byIds(personIds, session)
  const supervisorIds = [...new Set(records.flatMap(({ supervisorId }) => supervisorId ?? []))]
  const supervisors = await people.byIds(supervisorIds, session)
  const managerOf = new Map(supervisors.map(({ id, managerId }) => [id, managerId]))
  const claims = await signInClaims.byPeople(personIds, session)
  const claimsOf = new Map(claims.map(row => [row.personId, row.claims]))
  return new Map(
    records.map(record => {
      const { id, role, supervisorId, deactivatedAt } = record
      const managerId = (supervisorId && managerOf.get(supervisorId)) ?? null
      const isDeactivated = Boolean(deactivatedAt)
      return [id, { record, facts: { role, isDeactivated, supervisorId, managerId, claims: claimsOf.get(id) ?? [] } }]
    }),
  )
}

interface MemberChange {
  added: string[]
  removed: string[]
}

function planChanges(
  personIds: readonly string[],
  checked: ReadonlyMap<string, CheckedPerson>,
  memberships: readonly Membership[],
  dynamicGroups: Awaited<ReturnType<MembershipDeps['groups']['listDynamic']>>,
): Map<string, MemberChange> {
  const changes = new Map<string, MemberChange>()
  const changeOf = (groupId: string) => {
    const change = changes.get(groupId) ?? { added: [], removed: [] }
    changes.set(groupId, change)
    return change
  }
  const membersOf = Map.groupBy(memberships, ({ groupId }) => groupId)
  const dynamicIds = new Set(dynamicGroups.map(({ id }) => id))
  for (const { id, source } of dynamicGroups) {
    const members = new Set(membersOf.get(id)?.map(({ personId }) => personId))
    for (const personId of personIds) {
      const person = checked.get(personId)
      const belongs = person !== undefined && matchesSource(source, person.facts)
      if (belongs && !members.has(personId)) changeOf(id).added.push(personId)
      if (!belongs && members.has(personId)) changeOf(id).removed.push(personId)
    }
  }
  for (const { groupId, personId } of memberships) {
    const person = checked.get(personId)
    if (!dynamicIds.has(groupId) && !(person && mayBeMember(person.facts))) changeOf(groupId).removed.push(personId)
  }
  return changes
}

/** Only active supervisors stay among those who may assign to a group. */
async function removeAssigners(
  { groups }: Pick<MembershipDeps, 'groups'>,
  personIds: readonly string[],
  checked: ReadonlyMap<string, CheckedPerson>,
  tx: Transaction,
): Promise<void> {
  const formerIds = new Set(
    personIds.filter(id => {
      const facts = checked.get(id)?.facts
      return facts?.role !== 'supervisor' || facts.isDeactivated
    }),
  )
  if (formerIds.size === 0) return
  for (const { id, name, version, assigners } of await groups.ofAssigners([...formerIds], tx.session)) {
    const remaining = assigners.filter(assignerId => !formerIds.has(assignerId))
    const changed = (await groups.update({ id, name, version, assigners: remaining }, tx.session))!
    const data = { group_id: id, name, assigners: remaining, revision: changed.revision, by: null }
    tx.publish('group.changed', id, data)
  }
}
