import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { Logger } from '@watchline/kit/observability/log'
import { applyDeliveryReport } from '../actions/apply-delivery-report.ts'
import type { DeliveryReportMailbox, MailboxBatch } from '../clients/delivery-report-mailbox.ts'
import type { MailDeps } from '../context.ts'
import type { MailboxPositionStore } from '../store/mailbox-position.ts'

export interface DeliveryReportReaderDeps {
  mailDeps: MailDeps
  /** Undefined without a mailbox. */
  mailbox: DeliveryReportMailbox | undefined
  mailboxPosition: MailboxPositionStore
  log: Logger
}

const pauseMs = 5_000
/**
 * The lease of the replica that reads. Two that read at once repeat each other's steps, without
 * harm.
 */
const claimMs = 15_000

/** Reads the mailbox of delivery reports and deletes those that are about mails of this system. */
export function createDeliveryReportReader({
  mailDeps,
  mailbox,
  mailboxPosition,
  log,
}: DeliveryReportReaderDeps): Lifecycle {
  const onError = (error: unknown) => log.warn({ err: error }, 'reading of delivery reports failed, retrying')
  const job = createRepeatedJob(readMailbox, { pauseMs, jitter: true, onError })

  async function readMailbox(): Promise<void> {
    const now = mailDeps.clock.now()
    const claim = await mailboxPosition.claim(new Date(now), new Date(now + claimMs))
    if (claim) await mailbox!.readAfter(claim.position, handleBatch)
  }

  async function handleBatch({ messages, position }: MailboxBatch): Promise<number[]> {
    const handled: number[] = []
    for (const { uid, source } of messages) if (await applyDeliveryReport(mailDeps, source)) handled.push(uid)
    // A crash before this only reads the batch again.
    await mailboxPosition.save(position)
    return handled
  }

  return {
    start: signal => {
      if (mailbox) job.start(signal)
    },
    stop: async () => {
      if (mailbox) await job.stop()
    },
  }
}
