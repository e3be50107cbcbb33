import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob, type Wakeup } from '@watchline/kit/core/repeat'
import { checkBatchSize, readFacts, updateMemberships } from '../actions/update-memberships.ts'
import type { AuthContext } from '../context.ts'
import { matchesSource, mayBeMember } from '../rules/group-membership.ts'
import type { GroupRecord } from '../store/groups.ts'

const pauseMs = 10_000
/** A scan that takes longer may run on two replicas, without harm. Each page renews it. */
const leaseMs = 60_000
const scanEveryMs = 24 * 3_600_000
const scanPageSize = 500
const teamBatchSize = 50
const removalBatchSize = 1_000
const deletionPageSize = 100

/**
 * Keeps groups up to date. It checks the people with a requested check, and removes the members of
 * deleted groups. It scans new groups at once and each group once a day. A scan finds people with a
 * wrong membership and requests their checks. Every replica runs it.
 */
export function createDynamicGroupUpdates(ctx: AuthContext, wakeup: Wakeup): Lifecycle {
  const { groups, groupMembers, membershipChecks, people, clock, log } = ctx
  let isStopped = false
  const onError = (error: unknown) => log.warn({ err: error }, 'update of groups failed, retrying')
  const job = createRepeatedJob(updateDynamicGroups, { pauseMs, jitter: true, wakeup, onError })

  async function updateDynamicGroups(): Promise<void> {
    await checkRequested()
    for (const id of await groups.listDeleted(deletionPageSize)) {
      while (!isStopped && (await groupMembers.removeBatch(id, removalBatchSize)));
      if (!isStopped) await groups.endDeletion(id)
    }
    while (!isStopped) {
      const leaseEnd = clock.now() + leaseMs
      const group = await groups.leaseScan(clock.now(), leaseEnd)
      if (!group) return
      await scanGroup(group, leaseEnd)
    }
  }

  /** Until no request is left. The check of a supervisor requests those of the team. */
  async function checkRequested(): Promise<void> {
    let after = ''
    while (!isStopped) {
      const ids = await membershipChecks.afterId(after, checkBatchSize)
      if (ids.length > 0) await updateMemberships(ctx, ids)
      else if (after === '') return
      after = ids.at(-1) ?? ''
    }
  }

  async function scanGroup(group: GroupRecord, firstLeaseEnd: number): Promise<void> {
    let leaseEnd = firstLeaseEnd
    for await (const ids of findWrongMembers(group)) {
      if (ids.length > 0) {
        await membershipChecks.request(ids, undefined)
        // Page by page, so that neither the requests nor the time between renewals grow.
        await checkRequested()
      }
      if (isStopped) return
      const nextLeaseEnd = clock.now() + leaseMs
      if (nextLeaseEnd !== leaseEnd && !(await groups.renewScan(group.id, { leaseEnd, nextLeaseEnd }))) return
      leaseEnd = nextLeaseEnd
    }
    await groups.finishScan(group.id, { leaseEnd, nextScanAt: clock.now() + scanEveryMs })
  }

  /** Pages of people whose membership differs from what it should be. */
  async function* findWrongMembers({ id, source, assigners }: GroupRecord): AsyncGenerator<string[]> {
    for await (const candidates of candidatesOf(source)) {
      const members = await groupMembers.membersAmong(id, candidates)
      yield candidates.filter(personId => !members.has(personId))
    }
    for (let after: string | undefined = ''; after !== undefined; ) {
      const memberIds: string[] = await groupMembers.afterId(id, after, scanPageSize)
      const known = await readFacts(ctx, memberIds)
      yield memberIds.filter(personId => {
        const facts = known.get(personId)?.facts
        if (!facts) return true
        return source.kind === 'manual' ? !mayBeMember(facts) : !matchesSource(source, facts)
      })
      after = memberIds.at(-1)
    }
    const supervisors = new Set(
      (await people.byIds(assigners)).flatMap(({ id: personId, role, deactivatedAt }) =>
        role === 'supervisor' && !deactivatedAt ? [personId] : [],
      ),
    )
    yield assigners.filter(personId => !supervisors.has(personId))
  }

  /** Pages of people who may belong to a source; checks decide. */
  async function* candidatesOf(source: GroupRecord['source']): AsyncGenerator<string[]> {
    if (source.kind === 'team') yield people.idsBelow({ supervisorIds: [source.supervisor_id] })
    if (source.kind === 'manager') {
      const supervisorIds = await people.idsBelow({ managerId: source.manager_id })
      for (let start = 0; start < supervisorIds.length; start += teamBatchSize)
        yield people.idsBelow({ supervisorIds: supervisorIds.slice(start, start + teamBatchSize) })
    }
    if (source.kind === 'claim')
      for (let after: string | undefined = ''; after !== undefined; ) {
        const ids: string[] = await ctx.signInClaims.withValueAfterId(source, after, scanPageSize)
        yield ids
        after = ids.at(-1)
      }
  }

  return {
    start: () => {
      isStopped = false
      job.start()
    },
    stop: async () => {
      isStopped = true
      await job.stop()
    },
  }
}
