import { limits } from '@watchline/contracts/limits'
import { sendTestMail as operation } from '@watchline/contracts/mail'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { newId } from '@watchline/kit/mongo/database'
import { signEnvelopeId } from '../actions/sign-mail-tokens.ts'
import type { NotificationContext } from '../context.ts'
import { composeTestMail } from '../rules/compose-mail.ts'

const testLimit = { max: limits.testMailsPerHour, windowMs: 3_600_000 }

/** Sends without the outbox, because the administrator waits for the server's answer. */
export const sendTestMail = defineRoute(operation, async ({ person }, ctx: NotificationContext) => {
  if (!ctx.mailServer) fail('mail_not_configured')
  await ctx.rateLimiter.count(`test-mails:${person.id}`, testLimit)
  const [id, address] = [newId(), person.email]
  const envelopeId = signEnvelopeId(id, await ctx.mailChoices.signingKey())
  const date = new Date(ctx.clock.now())
  const delivery = await ctx.mailServer.deliver(
    { ...composeTestMail(person.name, ctx.publicUrl), id, envelopeId, address, date },
    { beforeContent: async () => true, signal: AbortSignal.timeout(limits.testMailMs) },
  )
  if (delivery.outcome === 'accepted') return { success: true as const, address, server_reply: delivery.serverReply }
  const problem =
    delivery.outcome === 'abandoned'
      ? `no answer came within ${limits.testMailMs / 1_000} seconds`
      : delivery.serverReply
  fail('mail_refused', { detail: `The mail server did not accept the mail: ${problem}` })
})
