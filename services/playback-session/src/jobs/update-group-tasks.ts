import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob, type Wakeup } from '@watchline/kit/core/repeat'
import type { Logger } from '@watchline/kit/observability/log'
import { remindNextMembers } from '../actions/remind-group-members.ts'
import { updateMarkedMembers, updateNextMembers } from '../actions/update-member-tasks.ts'
import type { PlaybackContext } from '../context.ts'
import type { ClaimedRequest } from '../store/group-task-requests.ts'

const pauseMs = 10_000
/** A replica that died loses its claim after this long. */
const leaseMs = 10_000
const retryMs = 5_000
/** People in one transaction. */
const pageSize = 200
const removalPageSize = 1_000

export function createGroupTaskUpdates(ctx: PlaybackContext, wakeup: Wakeup, log: Logger): Lifecycle {
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'claim of a group whose tasks need an update failed, retrying')
  return createRepeatedJob(signal => updateRequestedGroups(ctx, log, signal), {
    pauseMs,
    jitter: true,
    wakeup,
    onError,
  })
}

/**
 * Brings the tasks of groups up to date, a page of people at a time. Every replica may run it. A
 * page is one transaction: tasks, events, and how far the update has come. So after a crash the
 * next claim continues at the same page, and two replicas at one page conflict. Groups take turns:
 * if one fails, it waits for `retryMs`, and the others go on.
 */
export async function updateRequestedGroups(ctx: PlaybackContext, log: Logger, signal?: AbortSignal): Promise<void> {
  const now = () => new Date(ctx.clock.now())
  const claim = async () => (signal?.aborted ? undefined : await ctx.groupTaskRequests.claim(now(), leaseMs))
  for (let request = await claim(); request; request = await claim()) {
    try {
      const isDone = !(await updateGroup(ctx, request))
      if (!isDone || !(await ctx.groupTaskRequests.finish(request))) await ctx.groupTaskRequests.release(request, now())
    } catch (error) {
      log.warn({ err: error, group_id: request.groupId }, 'update of the tasks of a group failed, retrying')
      await releaseFailed(ctx, log, request)
    }
  }
}

/** Without the release, another claim follows after the lease. */
async function releaseFailed(ctx: PlaybackContext, log: Logger, request: ClaimedRequest): Promise<void> {
  try {
    await ctx.groupTaskRequests.release(request, new Date(ctx.clock.now() + retryMs))
    setTimeout(ctx.wakeGroupTaskUpdates, retryMs).unref()
  } catch (error) {
    const facts = { err: error, group_id: request.groupId }
    log.warn(facts, 'release of a failed update of the tasks of a group failed, retrying after the lease')
  }
}

/** Takes one step of the update; false if nothing was left. */
async function updateGroup(ctx: PlaybackContext, request: ClaimedRequest): Promise<boolean> {
  const { groupId } = request
  const isDeleted = await ctx.groups.isDeleted(groupId)
  let assignments = await ctx.groupAssignments.ofGroup(groupId)
  // A playlist may be assigned while the group is deleted.
  if (isDeleted && assignments.some(({ status }) => status === 'assigned')) {
    await ctx.outbox.transaction(tx => ctx.groupAssignments.withdrawAll(groupId, null, tx.session))
    assignments = await ctx.groupAssignments.ofGroup(groupId)
  }
  const extendLease = () => ctx.groupTaskRequests.extend(request, new Date(ctx.clock.now() + leaseMs))
  const marked = await ctx.groups.findToUpdate(groupId, pageSize)
  if (marked.length > 0) {
    for (const assignment of assignments) {
      await extendLease()
      await updateMarkedMembers(ctx, assignment, marked, extendLease)
    }
    await ctx.groups.clearUpdates(marked)
    return true
  }
  const toUpdate = assignments.find(({ update }) => update)
  if (toUpdate) {
    await updateNextMembers(ctx, toUpdate, pageSize, extendLease)
    return true
  }
  const toRemind = assignments.find(({ reminding }) => reminding)
  if (toRemind) {
    await remindNextMembers(ctx, toRemind, pageSize)
    return true
  }
  return isDeleted && (await ctx.groups.removeMembers(groupId, removalPageSize)) > 0
}
