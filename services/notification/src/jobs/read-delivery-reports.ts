import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { Logger } from '@watchline/kit/observability/log'
import { readEnvelopeId } from '../actions/sign-mail-tokens.ts'
import type { DeliveryReportMailbox, MailboxBatch } from '../clients/delivery-report-mailbox.ts'
import type { MailDeps } from '../context.ts'
import { condemnsAddress, parseDeliveryReport } from '../rules/delivery-report.ts'
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
  const { bounces, clock, mailChoices, mails } = mailDeps
  const onError = (error: unknown) => log.warn({ err: error }, 'reading of delivery reports failed, retrying')
  const job = createRepeatedJob(readMailbox, { pauseMs, jitter: true, onError })

  async function readMailbox(): Promise<void> {
    const now = clock.now()
    const claim = await mailboxPosition.claim(new Date(now), new Date(now + claimMs))
    if (claim) await mailbox!.readAfter(claim.position, handleBatch)
  }

  async function handleBatch({ messages, position }: MailboxBatch): Promise<number[]> {
    const handled: number[] = []
    for (const { uid, source } of messages) if (await applyDeliveryReport(source)) handled.push(uid)
    // A crash before this only reads the batch again.
    await mailboxPosition.save(position)
    return handled
  }

  /**
   * Returns whether the message is a delivery report. Anybody can write to the mailbox, so only a
   * signed envelope id counts.
   */
  async function applyDeliveryReport(source: string): Promise<boolean> {
    const report = parseDeliveryReport(source)
    if (!report) return false
    const mailId = readEnvelopeId(report.envelopeId, await mailChoices.signingKey())
    if (mailId === undefined) return false
    const now = new Date(clock.now())
    const mail = await mails.applyDeliveryReport(mailId, report, now)
    if (mail?.address !== undefined && !report.isDelivered && condemnsAddress(report.status))
      await bounces.add({ personId: mail.personId, address: mail.address, at: now, serverReply: report.explanation })
    return true
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
