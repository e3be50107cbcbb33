import { isDeepStrictEqual } from 'node:util'
import { limits } from '@watchline/contracts/limits'
import { isRequiredMailKind } from '@watchline/contracts/mail'
import type { MailDeps } from '../context.ts'
import { composeDigest, composeMail, type MailFrame } from '../rules/compose-mail.ts'
import { composeReport } from '../rules/compose-report.ts'
import { retryDelayAfter } from '../rules/mail-retry.ts'
import type { ClaimedMail } from '../store/mails.ts'
import { type Check, checkReason, type SendableMail } from './check-mail-reason.ts'
import { findMailWords } from './find-mail-words.ts'
import { redirectEscalations } from './redirect-escalations.ts'
import { signEnvelopeId, signUnsubscription } from './sign-mail-tokens.ts'

/** `server_problem`: other mails would meet it, too. */
export type DeliveryResult = 'sent' | 'failed' | 'cancelled' | 'postponed' | 'unknown' | 'server_problem'

/** The wait after a problem that is not about the mail. It does not count as an attempt. */
const problemRetryMs = 30_000
/**
 * A mail server that took longer than this to ask for the content is slow: the reason may be gone.
 */
const checkValidMs = 1_000

/**
 * One attempt to send a claimed mail. Immediately before, it asks the owners whether its reason
 * still holds; after a slow greeting of the mail server, once more. Every change compares the
 * claim, so an attempt that has lost it changes nothing.
 */
export async function deliverMail(ctx: MailDeps, claimed: ClaimedMail, signal: AbortSignal): Promise<DeliveryResult> {
  const { bounces, clock, mails } = ctx
  let mail = claimed
  const now = () => new Date(clock.now())
  // A process that dies leaves its attempt counted, so the number can exceed the limit.
  if (mail.attempts > limits.mailAttempts) {
    await mails.settleMail(mail, 'failed', now(), 'No attempt came to an end.')
    return 'failed'
  }
  const sendableSince = mail.heldUntil ?? mail.createdAt
  if (clock.now() - sendableSince.getTime() > limits.mailMaxAgeMs) {
    await mails.settleMail(mail, 'failed', now(), 'It could not be sent for three days.')
    return 'failed'
  }
  const waitForServer = async (explanation?: string): Promise<DeliveryResult> => {
    const next = new Date(clock.now() + problemRetryMs)
    await mails.postpone(mail, next, { ...(explanation !== undefined && { explanation }), countsAttempt: false })
    return 'server_problem'
  }
  const dropMail = async (check: Exclude<Check, SendableMail>): Promise<DeliveryResult> => {
    if ('isOwnerUnavailable' in check) return waitForServer()
    await mails.settleMail(mail, 'cancelled', now(), check.reason, check.cancelCode)
    return 'cancelled'
  }
  try {
    mail = await redirectEscalations(ctx, claimed)
  } catch (error) {
    ctx.log.warn({ err: error }, 'check of the managers before a mail failed, retrying')
    return waitForServer()
  }
  const check = await checkReason(ctx, mail)
  if (!('recipient' in check)) return dropMail(check)
  const { recipient, attachment } = check
  const checkedAt = clock.now()
  let lateCheck: Check = check
  const beforeContent = async () => {
    if (clock.now() - checkedAt > checkValidMs) lateCheck = await checkReason(ctx, mail)
    return (
      'recipient' in lateCheck &&
      // A person who left the teams meanwhile must not be named.
      isDeepStrictEqual(lateCheck.digest, check.digest) &&
      isDeepStrictEqual(lateCheck.group, check.group) &&
      mails.markOffered(mail, address, now())
    )
  }
  const address = recipient.email
  const envelopeId = signEnvelopeId(mail.id, await ctx.mailChoices.signingKey())
  const oneClickUrl = await unsubscribeUrl(ctx, mail, '/api/notifications/unsubscribe?')
  const composed = await compose(ctx, mail, check, {
    recipientName: recipient.name,
    publicUrl: ctx.publicUrl,
    unsubscribeUrl: await unsubscribeUrl(ctx, mail, '/?page=unsubscribe#'),
  })
  const delivery = await ctx.mailServer!.deliver(
    {
      ...{ ...composed, id: mail.id, envelopeId, address, date: sendableSince },
      ...(oneClickUrl && { oneClickUrl }),
      ...(attachment && { attachment }),
    },
    { beforeContent, signal },
  )
  switch (delivery.outcome) {
    case 'accepted':
      await mails.settleMail(mail, 'sent', now())
      return 'sent'
    case 'refused':
      await mails.settleMail(mail, 'failed', now(), delivery.serverReply)
      if (delivery.isAddress)
        await bounces.add({ personId: recipient.id, address, at: now(), serverReply: delivery.serverReply })
      return 'failed'
    case 'abandoned':
      if (!('recipient' in lateCheck)) return dropMail(lateCheck)
      await mails.postpone(mail, now(), { countsAttempt: false })
      return 'postponed'
    case 'unanswered':
      if (retryDelayAfter(mail.attempts) === undefined) {
        await mails.settleMail(mail, 'unknown', now(), delivery.serverReply)
        return 'unknown'
      }
      await mails.markUnknown(mail, new Date(clock.now() + ctx.mail!.deliveryReportWaitMs), delivery.serverReply)
      return 'unknown'
    case 'deferred': {
      const { serverReply, isAboutMail } = delivery
      if (!isAboutMail) return waitForServer(serverReply)
      const delay = retryDelayAfter(mail.attempts)
      if (delay === undefined) {
        await mails.settleMail(mail, 'failed', now(), serverReply)
        return 'failed'
      }
      await mails.postpone(mail, new Date(clock.now() + delay), { explanation: serverReply, countsAttempt: true })
      return 'postponed'
    }
  }
}

async function compose(
  ctx: MailDeps,
  { kind, group: storedGroup, reportId, task }: ClaimedMail,
  { digest, report, recipient, group = storedGroup }: SendableMail,
  frame: MailFrame,
) {
  const { language, timeZone: chosen } = await ctx.mailChoices.preferencesOf(recipient.id)
  const timeZone = ctx.validTimeZoneOf(chosen)
  const wording = await findMailWords(ctx, kind, language)
  if (kind === 'team_digest' || kind === 'task_escalated') {
    if (!digest) throw new Error('the mail has no tasks')
    return composeDigest(kind, digest, wording, { ...frame, timeZone, now: ctx.clock.now() })
  }
  if (kind === 'saved_report') {
    if (!report || reportId === undefined) throw new Error('the mail has no report')
    return composeReport(report, wording, { ...frame, reportId, recipientRole: recipient.role })
  }
  if (!group) throw new Error('the mail has no activity')
  return composeMail({ ...group, kind }, wording, { ...frame, recipientRole: recipient.role, due: task?.localDue })
}

async function unsubscribeUrl({ mailChoices, publicUrl }: MailDeps, { recipientId, kind }: ClaimedMail, path: string) {
  if (isRequiredMailKind(kind)) return undefined
  const token = signUnsubscription({ personId: recipientId, kind }, await mailChoices.signingKey())
  return `${publicUrl}${path}${new URLSearchParams({ token })}`
}
