import type { GroupSource } from '@watchline/contracts/groups'
import { limits } from '@watchline/contracts/limits'
import { fail, failField } from '@watchline/kit/core/errors'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import type { AuthContext } from '../context.ts'
import { leaderIdOf, leadingRoleOf } from '../rules/group-membership.ts'
import type { Actor, AuditRecord } from '../store/audit.ts'
import type { GroupRecord } from '../store/groups.ts'

type Deps = Pick<AuthContext, 'outbox' | 'people' | 'groups' | 'wakeGroupUpdates' | 'audit' | 'clock' | 'config'>

interface NewGroup {
  name: string
  source: GroupSource
  assigners: readonly string[]
  by: Actor | null
}

/** Creates a group. The first scan of a dynamic group finds its first members. */
export function createGroup(deps: Deps, { name, source, assigners, by }: NewGroup): Promise<GroupRecord> {
  const { outbox, groups, wakeGroupUpdates, audit, clock, config } = deps
  if (source.kind === 'claim' && !config.claimNames.includes(source.claim))
    failField('source.claim', `is not among the claims of OIDC_CLAIMS (${config.claimNames.join(', ')})`)
  return failOnEqualName(() =>
    outbox.transaction(async tx => {
      const leaderFacts = await lockLeader(deps, source, tx)
      const assignerIds = await lockAssigners(deps, assigners, tx)
      if ((await groups.count(tx.session)) >= limits.groupsMax)
        fail('conflict', { detail: `There are ${limits.groupsMax} groups already. Delete one first.` })
      const at = clock.now()
      const isDynamic = source.kind !== 'manual'
      const scanAt = isDynamic ? at : at + firstScanOfManualMs
      const created = await groups.insert({ name, source, assigners: assignerIds, at, scanAt }, tx.session)
      publishGroup(created, by, tx)
      tx.afterCommit(wakeGroupUpdates)
      const claimFacts = source.kind === 'claim' && { group_claim: source.claim, group_value: source.value }
      const after = { ...factsOf(created), source: source.kind, ...leaderFacts, ...claimFacts }
      await audit.add(entryOf('group_created', { at, by, before: {}, after }), tx.session)
      return created
    }),
  )
}

const firstScanOfManualMs = 24 * 3_600_000

interface GroupEdit {
  id: string
  name: string
  assigners: readonly string[]
  version: number
  by: Actor
}

/** Replaces name and assigners. Fails with `edited_elsewhere` if there is a newer version. */
export function updateGroup(deps: Deps, { id, name, assigners, version, by }: GroupEdit): Promise<GroupRecord> {
  const { outbox, groups, audit, clock } = deps
  return failOnEqualName(() =>
    outbox.transaction(async tx => {
      const previous = await groups.byId(id, tx.session)
      if (!previous) fail('not_found')
      if (previous.version !== version) fail('edited_elsewhere')
      const assignerIds = await lockAssigners(deps, assigners, tx)
      const changed = await groups.update({ id, name, assigners: assignerIds, version }, tx.session)
      if (!changed) fail('edited_elsewhere')
      publishGroup(changed, by, tx)
      const [before, after] = [factsOf(previous), factsOf(changed)]
      await audit.add(entryOf('group_changed', { at: clock.now(), by, before, after }), tx.session)
      return changed
    }),
  )
}

/** Deletes a group. A job removes its members, however many there are. */
export function deleteGroup(
  { outbox, groups, wakeGroupUpdates, audit, clock }: Deps,
  { id, by }: { id: string; by: Actor },
): Promise<void> {
  return outbox.transaction(async tx => {
    const group = await groups.remove(id, tx.session)
    if (!group) fail('not_found')
    tx.afterCommit(wakeGroupUpdates)
    tx.publish('group.deleted', id, { group_id: id, revision: group.revision + 1, by: by.id })
    const before = { ...factsOf(group), members: group.memberCount }
    await audit.add(entryOf('group_deleted', { at: clock.now(), by, before, after: {} }), tx.session)
  })
}

function publishGroup({ id, name, assigners, revision }: GroupRecord, by: Actor | null, tx: Transaction): void {
  tx.publish('group.changed', id, { group_id: id, name, assigners, revision, by: by?.id ?? null })
}

const factsOf = ({ id, name, assigners }: GroupRecord) => ({
  group_id: id,
  group_name: name,
  assigners: assigners.length,
})

function entryOf(
  action: 'group_created' | 'group_changed' | 'group_deleted',
  entry: Pick<AuditRecord, 'at' | 'by' | 'before' | 'after'>,
): AuditRecord {
  return { action, subject: null, ...entry }
}

/** The supervisor or manager of the source must be active when the group is created. */
async function lockLeader({ people }: Deps, source: GroupSource, tx: Transaction): Promise<Record<string, string>> {
  const role = leadingRoleOf(source)
  const leaderId = leaderIdOf(source)
  if (!role || !leaderId) return {}
  const [leader] = await people.lockActiveAmong([leaderId], tx.session, role)
  if (!leader) failField(`source.${role}_id`, `is not an active ${role}`)
  return { [`${role}_id`]: leader.id, [`${role}_name`]: leader.name }
}

/** The ids, once each. Fails with `invalid` for anybody who is not an active supervisor. */
async function lockAssigners({ people }: Deps, assigners: readonly string[], tx: Transaction): Promise<string[]> {
  const active = await people.lockActiveAmong(assigners, tx.session, 'supervisor')
  const activeIds = new Set(active.map(({ id }) => id))
  const index = assigners.findIndex(id => !activeIds.has(id))
  if (index !== -1) failField(`assigners.${index}`, 'is not an active supervisor')
  return [...new Set(assigners)]
}

async function failOnEqualName<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    fail('conflict', { detail: 'Another group has this name. Choose another one.', cause: error })
  }
}
