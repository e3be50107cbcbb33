import type { Logger } from '@watchline/kit/observability/log'
import type { EngagementContext } from '../context.ts'
import type { UncertifiedCompletion } from '../store/task-facts.ts'
import { addCertificate, composeCertificate, findCertifiedCompletion } from './add-certificate.ts'
import { loadRecordedTask } from './load-record.ts'

const batchSize = 50
const retryMs = 60_000

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

/** Issues those of one task at once, so that a later certificate replaces an earlier one. */
export async function issueDueCertificatesOf(
  ctx: EngagementContext,
  task: { personId: string; playlistId: string },
): Promise<void> {
  const due = await ctx.taskFacts.findUncertified(new Date(ctx.clock.now()), batchSize, task)
  for (const completion of due) await issueDueCertificate(ctx, completion)
}

async function issueOrPostpone(ctx: EngagementContext, log: Logger, completion: UncertifiedCompletion): Promise<void> {
  const { factId, personId, playlistId } = completion
  try {
    await issueDueCertificate(ctx, completion)
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
  { factId, personId, playlistId, at }: UncertifiedCompletion,
): Promise<void> {
  const person = await ctx.people.get(personId)
  const task = person && !person.erasedAt ? await loadRecordedTask(ctx, person, playlistId) : undefined
  const isAssigned = task !== undefined && task.assignments.length > 0
  const completion = isAssigned ? findCertifiedCompletion(task, at.toISOString()) : undefined
  const certificate = person && completion && (await composeCertificate(ctx, person, completion))
  await ctx.outbox.transaction(async tx => {
    const isDue = await ctx.taskFacts.claimCertificate(factId, tx.session)
    if (isDue && certificate) await addCertificate(ctx, tx, certificate)
  })
}
