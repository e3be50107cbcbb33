import type { MailDeps } from '../context.ts'
import { condemnsAddress, parseDeliveryReport } from '../rules/delivery-report.ts'
import { readEnvelopeId } from './sign-mail-tokens.ts'

/**
 * Settles the mail that a delivery report is about, and marks an address that refuses mails for
 * good. Returns whether the message is such a report. Anybody can write to the mailbox, so only a
 * signed envelope id counts.
 */
export async function applyDeliveryReport(
  { bounces, clock, mailChoices, mails }: MailDeps,
  source: string,
): Promise<boolean> {
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
