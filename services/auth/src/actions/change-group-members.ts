import { groupMembersPerEvent } from '@watchline/contracts/events'
import { limits } from '@watchline/contracts/limits'
import { fail } from '@watchline/kit/core/errors'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { AuthContext } from '../context.ts'
import { type MatchedAddresses, matchAddresses, readAddress } from '../rules/match-email-addresses.ts'
import type { Actor, AuditRecord } from '../store/audit.ts'
import type { GroupRecord } from '../store/groups.ts'
import type { PersonRecord } from '../store/person-model.ts'

type Deps = Pick<AuthContext, 'outbox' | 'people' | 'invited' | 'groups' | 'groupMembers' | 'audit' | 'clock'>

interface MemberChange {
  groupId: string
  personIds: readonly string[]
  by: Actor | null
}

/**
 * Adds people to a manual group, all in one transaction. Leaves out members, and people who cannot
 * be members: the caller has refused those, so they changed meanwhile. Returns the number of new
 * members.
 */
export function addMembers(
  deps: Deps,
  { groupId, personIds, by }: MemberChange,
): Promise<{ group: GroupRecord; added: number }> {
  const { outbox, people, groupMembers, clock } = deps
  return outbox.transaction(async tx => {
    const group = await findManualGroup(deps, groupId, tx)
    const members = await groupMembers.membersAmong(groupId, personIds, tx.session)
    const possible = await people.lockActiveAmong(personIds, tx.session)
    const added = possible.filter(({ id }) => !members.has(id))
    if (added.length === 0) return { group, added: 0 }
    if (group.memberCount + added.length > limits.groupMembersMax)
      fail('conflict', { detail: `A group has at most ${limits.groupMembersMax} members. Make another group.` })
    const changes = pagesOf(added).map(page => ({ added: page.map(({ id }) => id), removed: [] }))
    const changed = await publishChanges(deps, { groupId, changes, by, tx })
    await groupMembers.insert(groupId, added, clock.now(), tx.session)
    await auditMembers(deps, { group: changed, people: added, count: { members_added: added.length }, by, tx })
    return { group: changed, added: added.length }
  })
}

/** Removes people from a manual group. Returns the number of those who were members. */
export function removeMembers(
  deps: Deps,
  { groupId, personIds, by }: MemberChange,
): Promise<{ group: GroupRecord; removed: number }> {
  const { outbox, people, groupMembers } = deps
  return outbox.transaction(async tx => {
    const group = await findManualGroup(deps, groupId, tx)
    const removed = [...(await groupMembers.membersAmong(groupId, personIds, tx.session))]
    if (removed.length === 0) return { group, removed: 0 }
    const changes = pagesOf(removed).map(page => ({ added: [], removed: page }))
    const changed = await publishChanges(deps, { groupId, changes, by, tx })
    await groupMembers.remove(groupId, removed, tx.session)
    const records = removed.length === 1 ? await people.byIds(removed, tx.session) : []
    await auditMembers(deps, { group: changed, people: records, count: { members_removed: removed.length }, by, tx })
    return { group: changed, removed: removed.length }
  })
}

/** The people of these lines, and how many of them are members already. */
export async function findAddresses(
  { invited, groupMembers, groups }: Pick<Deps, 'invited' | 'groupMembers' | 'groups'>,
  groupId: string,
  lines: readonly string[],
): Promise<MatchedAddresses & { members: number }> {
  requireManual(await groups.byId(groupId))
  const addresses = new Set(lines.map(readAddress).filter(address => address !== undefined))
  const owners = await invited.findAllByEmail([...addresses], undefined)
  const matched = matchAddresses(lines, owners)
  const members = await groupMembers.membersAmong(groupId, matched.personIds)
  return { ...matched, members: members.size }
}

async function findManualGroup({ groups }: Deps, groupId: string, tx: Transaction): Promise<GroupRecord> {
  return requireManual(await groups.byId(groupId, tx.session))
}

/** Fails for a dynamic group: the next check would undo a change by hand. */
export function requireManual(group: GroupRecord | undefined): GroupRecord {
  if (!group) fail('not_found')
  if (group.source.kind !== 'manual')
    fail('conflict', {
      detail: 'The members of this group change automatically. Nobody can be added or removed by hand.',
    })
  return group
}

function pagesOf<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / groupMembersPerEvent)
  return Array.from({ length: count }, (_, page) =>
    items.slice(page * groupMembersPerEvent, (page + 1) * groupMembersPerEvent),
  )
}

interface PublishedChanges {
  groupId: string
  changes: readonly { added: string[]; removed: string[] }[]
  by: Actor | null
  tx: Transaction
}

/** Counts and publishes the changes, one event each. Returns the group after the last one. */
async function publishChanges(
  { groups }: Pick<Deps, 'groups'>,
  { groupId, changes, by, tx }: PublishedChanges,
): Promise<GroupRecord> {
  let group: GroupRecord | undefined
  for (const { added, removed } of changes) {
    group = await groups.changeMembers(groupId, added.length - removed.length, tx.session)
    if (!group) fail('not_found')
    const data = { group_id: groupId, added, removed, revision: group.revision, by: by?.id ?? null }
    tx.publish('group.members_changed', groupId, data)
  }
  return group!
}

interface MembersEntry {
  group: GroupRecord
  people: readonly PersonRecord[]
  count: Record<string, number>
  by: Actor | null
  tx: Transaction
}

/** The entry is about the person if there is one only. */
async function auditMembers(
  { audit, clock }: Pick<Deps, 'audit' | 'clock'>,
  { group, people, count, by, tx }: MembersEntry,
): Promise<void> {
  const entry: AuditRecord = {
    at: clock.now(),
    action: 'group_members_changed',
    by,
    subject: people.length === 1 ? people[0]! : null,
    before: {},
    after: { group_id: group.id, group_name: group.name, ...count, members: group.memberCount },
  }
  await audit.add(entry, tx.session)
}
