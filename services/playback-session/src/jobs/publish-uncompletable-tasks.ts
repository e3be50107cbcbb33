import type { Person } from '@watchline/identity/people'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import { retryOnDuplicateKey } from '@watchline/kit/mongo/retry-on-duplicate-key'
import type { Logger } from '@watchline/kit/observability/log'
import { findTaskLeaders } from '../actions/find-task-leaders.ts'
import type { PlaybackContext } from '../context.ts'
import type { Assignment } from '../rules/assignment.ts'
import { findUncompletable } from '../rules/uncompletable.ts'
import { assignmentKey } from '../store/stored-assignment.ts'
import type { UncompletableTask } from '../store/uncompletable-tasks.ts'

type Deps = Pick<
  PlaybackContext,
  | 'clock'
  | 'calendar'
  | 'outbox'
  | 'assignments'
  | 'playlists'
  | 'people'
  | 'formerLeaders'
  | 'uncompletableTasks'
  | 'uncompletableLease'
>

const hourMs = 3_600_000
/** The check of a date runs after this hour. */
const nightHour = 2
const batchSize = 200
/** Longer than a batch takes. */
const leaseMs = 10 * 60_000

export function createUncompletableTaskPublisher(ctx: Deps, log: Logger): Lifecycle {
  const onError = (error: unknown) => log.warn({ err: error }, 'check of uncompletable tasks failed, retrying later')
  return createRepeatedJob(signal => publishAtNight(ctx, signal), { pauseMs: hourMs, jitter: true, onError })
}

/**
 * One replica checks each night. After a failure or the end of its process, an hourly run checks
 * again; what was published stays published once.
 */
export async function publishAtNight(ctx: Deps, signal?: AbortSignal): Promise<void> {
  const now = ctx.clock.now()
  const date = ctx.calendar.dateOf(now - nightHour * hourMs)
  const lease = await ctx.uncompletableLease.claim(date, new Date(now), leaseMs)
  if (!lease) return
  const renewLease = () => lease.extend(new Date(ctx.clock.now() + leaseMs))
  try {
    if (await publishUncompletableTasks(ctx, renewLease, signal)) await lease.finish(date)
    else await lease.release()
  } catch (error) {
    // The first error matters more. Without a release the lease expires.
    await lease.release().catch(() => {})
    throw error
  }
}

/**
 * Publishes `task.uncompletable` for open tasks that cannot be completed, once until the reason
 * ends. Reads all assignments in batches, so memory holds one batch, and renews the lease before
 * each. False if the process stops before the end, or another replica has the lease.
 */
export async function publishUncompletableTasks(
  ctx: Deps,
  renewLease: () => Promise<boolean>,
  signal?: AbortSignal,
): Promise<boolean> {
  const mayContinue = async () => !signal?.aborted && (await renewLease())
  if (!(await clearEndedReasons(ctx, mayContinue))) return false
  let after = ''
  for (;;) {
    if (!(await mayContinue())) return false
    const batch = await ctx.assignments.afterKey(after, batchSize)
    const listStaff = memoize(() => ctx.people.staff())
    const found = await Promise.all(batch.map(assignment => describeUncompletable(ctx, assignment, listStaff)))
    const uncompletable = found.filter(task => task !== undefined)
    if (uncompletable.length > 0) await publishNew(ctx, uncompletable)
    const last = batch.at(-1)
    if (!last || batch.length < batchSize) return true
    after = assignmentKey(last.personId, last.playlistId)
  }
}

/** A reason that returns is published again. False if it stopped before the end. */
async function clearEndedReasons(ctx: Deps, mayContinue: () => Promise<boolean>): Promise<boolean> {
  let after = ''
  for (;;) {
    if (!(await mayContinue())) return false
    const batch = await ctx.uncompletableTasks.afterKey(after, batchSize)
    const assignments = await ctx.assignments.byKeys(batch.map(keyOf))
    const reasons = await Promise.all(batch.map(task => findReason(ctx, task, assignments.get(keyOf(task)))))
    await ctx.uncompletableTasks.remove(batch.filter(({ reason }, index) => reasons[index] !== reason))
    const last = batch.at(-1)
    if (!last || batch.length < batchSize) return true
    after = keyOf(last)
  }
}

interface DescribedTask extends UncompletableTask {
  title: string
  recipients: string[]
}

async function describeUncompletable(
  ctx: Deps,
  assignment: Assignment,
  listStaff: () => Promise<Person[]>,
): Promise<DescribedTask | undefined> {
  const { personId, playlistId, assignedBy, status } = assignment
  if (status !== 'assigned') return undefined
  const [person, playlist] = await Promise.all([ctx.people.get(personId), ctx.playlists.cached.get(playlistId)])
  const reason = findUncompletable(assignment, playlist, person)
  if (!reason || !playlist) return undefined
  const recipients = await findTaskLeaders(ctx, person, assignedBy, listStaff)
  // Without anybody to notify, the next check tries again.
  return recipients.length > 0 ? { personId, playlistId, reason, title: playlist.title, recipients } : undefined
}

async function findReason(
  ctx: Deps,
  { personId, playlistId }: Pick<Assignment, 'personId' | 'playlistId'>,
  assignment: Assignment | undefined,
) {
  const [person, playlist] = await Promise.all([ctx.people.get(personId), ctx.playlists.cached.get(playlistId)])
  return findUncompletable(assignment, playlist, person)
}

/** One transaction stores the event and its tasks, so replicas cannot publish a task twice. */
function publishNew(ctx: Deps, tasks: readonly DescribedTask[]): Promise<void> {
  const publish = () =>
    ctx.outbox.transaction(async tx => {
      const newTasks = await ctx.uncompletableTasks.findNew(tasks, tx.session)
      await ctx.uncompletableTasks.put(newTasks, tx.session)
      const sameReasons = Map.groupBy(newTasks, ({ playlistId, reason, recipients }) =>
        JSON.stringify([playlistId, reason, recipients]),
      )
      for (const sameReason of sameReasons.values()) {
        const { playlistId, title, reason, recipients } = sameReason[0]!
        const people = sameReason.map(({ personId }) => personId)
        for (const recipient of recipients)
          tx.publish('task.uncompletable', playlistId, { playlist_id: playlistId, title, reason, people, recipient })
      }
    })
  return retryOnDuplicateKey(publish)
}

/** Calls once, and repeats the answer. */
function memoize<T>(call: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined
  return () => {
    answer ??= call()
    return answer
  }
}

function keyOf({ personId, playlistId }: UncompletableTask): string {
  return assignmentKey(personId, playlistId)
}
