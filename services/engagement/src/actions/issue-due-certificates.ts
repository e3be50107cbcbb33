import { limits } from '@watchline/contracts/limits'
import type { Logger } from '@watchline/kit/observability/log'
import type { EngagementContext } from '../context.ts'
import { isOfEarlierAttempt, mustAwaitStartEvent } from '../rules/record/certificate-wait.ts'
import type { TaskFact } from '../rules/record/task-history.ts'
import { assignmentKey } from '../store/assignments.ts'
import type { UncertifiedCompletion } from '../store/task-facts.ts'
import { composeCertificate, findCertifiedCompletion, findOrAddCertificate } from './add-certificate.ts'
import { loadRecordedTask } from './load-record.ts'

const batchSize = 50
const retryMs = 60_000
/** Of a completion that does not fit to its history, because an event is lost. */
const lostEventRetryMs = 3600_000

/** A task of a person. */
type TaskKey = Pick<UncertifiedCompletion, 'personId' | 'playlistId'>

/**
 * Issues the certificates of completions that have none yet, the earliest first. A completion that
 * fails waits for `retryMs`, and the others go on. Every replica may run it.
 */
export async function issueDueCertificates(ctx: EngagementContext, log: Logger, signal: AbortSignal): Promise<void> {
  for (;;) {
    const batch = await ctx.taskFacts.findUncertified(new Date(ctx.clock.now()), batchSize)
    for (const completion of batch) {
      if (signal.aborted) return
      await issueOrPostpone(ctx, log, completion)
    }
    if (batch.length < batchSize) return
  }
}

/**
 * Issues those of one task at once, in the order of the completions. Returns false if they wait for
 * an event that says to which occurrence they belong, and so when they expire.
 */
export async function issueDueCertificatesOf(
  ctx: EngagementContext,
  { personId, playlistId }: TaskKey,
): Promise<boolean> {
  const due = await ctx.taskFacts.findUncertifiedOf(personId, playlistId)
  const watching = await ctx.watchers.findCompletion(personId, playlistId)
  if (due.length === 0 && watching.resetAt === undefined) return true
  // Before the record is made, so that it has at least these facts.
  const facts = await ctx.taskFacts.listOf(personId, [playlistId], limits.recordFactsMax + 1)
  const assignment = await findAssignment(ctx, { personId, playlistId })
  const assignedAt = due.length > 0 && assignment?.assigned ? assignment.at.getTime() : null
  // A reset moves what was watched before its event arrives.
  const resets = [watching.resetAt ?? null, ...due.map(({ resetAt }) => resetAt)]
  const now = ctx.clock.now()
  if (resets.some(resetAt => mustAwaitStartEvent(facts, { assignedAt, resetAt }, now))) {
    for (const { factId } of due) await ctx.taskFacts.postponeCertificate(factId, new Date(now + retryMs))
    return false
  }
  for (const completion of due) await issueDueCertificate(ctx, completion, { facts, isTask: assignment !== undefined })
  return true
}

/** Whether the person has or had the task. Projected assignments outlive their end. */
export async function wasAssigned(ctx: Pick<EngagementContext, 'projections'>, task: TaskKey): Promise<boolean> {
  return (await findAssignment(ctx, task)) !== undefined
}

async function findAssignment(
  { projections }: Pick<EngagementContext, 'projections'>,
  { personId, playlistId }: TaskKey,
) {
  const key = assignmentKey(personId, playlistId)
  return (await projections.assignments.byKeys([key])).get(key)
}

async function issueOrPostpone(ctx: EngagementContext, log: Logger, completion: UncertifiedCompletion): Promise<void> {
  const { factId, personId, playlistId } = completion
  try {
    await issueDueCertificatesOf(ctx, completion)
  } catch (error) {
    const facts = { err: error, person_id: personId, playlist_id: playlistId }
    log.warn(facts, 'issuing the certificate of a completion failed, retrying in a minute')
    await ctx.taskFacts.postponeCertificate(factId, new Date(ctx.clock.now() + retryMs))
  }
}

/**
 * Issues the certificate and removes the request for it in one transaction. A completion that was
 * reset meanwhile has no certificate, and neither has one without a task.
 */
async function issueDueCertificate(
  ctx: EngagementContext,
  { factId, personId, playlistId, at, resetAt }: UncertifiedCompletion,
  { facts, isTask }: { facts: readonly TaskFact[]; isTask: boolean },
): Promise<void> {
  const person = await ctx.people.get(personId)
  const task = isTask && person && !person.erasedAt ? await loadRecordedTask(ctx, person, playlistId) : undefined
  const completion = task && findCertifiedCompletion(task, at.toISOString())
  if (task && !completion && !isOfEarlierAttempt(facts, { completedAt: at.getTime(), resetAt })) {
    await ctx.taskFacts.postponeCertificate(factId, new Date(ctx.clock.now() + lostEventRetryMs))
    return
  }
  const certificate = person && completion && (await composeCertificate(ctx, person, completion))
  await ctx.outbox.transaction(async tx => {
    const isDue = await ctx.taskFacts.claimCertificate(factId, tx.session)
    if (isDue && certificate) await findOrAddCertificate(ctx, tx, certificate)
  })
}
