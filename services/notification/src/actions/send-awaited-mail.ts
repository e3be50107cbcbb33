import { limits } from '@watchline/contracts/limits'
import { fail } from '@watchline/kit/core/errors'
import type { MailServer } from '../clients/mail-server.ts'
import type { NotificationContext } from '../context.ts'
import type { MailText } from '../rules/compose-mail.ts'
import { signEnvelopeId } from './sign-mail-tokens.ts'

/** The mail server. Fails with `mail_not_configured` without one. */
export function requireMailServer({ mailServer }: Pick<NotificationContext, 'mailServer'>): MailServer {
  return mailServer ?? fail('mail_not_configured')
}

/**
 * Sends a mail without the outbox, because the caller waits for the server's answer, which it
 * returns. Nothing of the mail is stored. Fails with `mail_refused`.
 */
export async function sendAwaitedMail(
  { mailServer, mailChoices, clock }: Pick<NotificationContext, 'mailChoices' | 'clock'> & { mailServer: MailServer },
  { id, address, ...text }: MailText & { id: string; address: string },
) {
  const envelopeId = signEnvelopeId(id, await mailChoices.signingKey())
  const delivery = await mailServer.deliver(
    { ...text, id, envelopeId, address, date: new Date(clock.now()) },
    { beforeContent: async () => true, signal: AbortSignal.timeout(limits.awaitedMailMs) },
  )
  if (delivery.outcome === 'accepted') return { success: true as const, address, server_reply: delivery.serverReply }
  const problem =
    delivery.outcome === 'abandoned'
      ? `no answer came within ${limits.awaitedMailMs / 1_000} seconds`
      : delivery.serverReply
  fail('mail_refused', { detail: `The mail server did not accept the mail: ${problem}` })
}
