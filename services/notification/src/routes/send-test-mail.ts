import { limits } from '@watchline/contracts/limits'
import { sendTestMail as operation } from '@watchline/contracts/mail'
import { defineRoute } from '@watchline/kit/http/route'
import { newId } from '@watchline/kit/mongo/database'
import { requireMailServer, sendAwaitedMail } from '../actions/send-awaited-mail.ts'
import type { NotificationContext } from '../context.ts'
import { composeTestMail } from '../rules/compose-mail.ts'

const testLimit = { max: limits.testMailsPerHour, windowMs: 3_600_000 }

export const sendTestMail = defineRoute(operation, async ({ person }, ctx: NotificationContext) => {
  const mailServer = requireMailServer(ctx)
  await ctx.rateLimiter.count(`test-mails:${person.id}`, testLimit)
  const text = composeTestMail(person.name, ctx.publicUrl)
  return sendAwaitedMail({ ...ctx, mailServer }, { ...text, id: newId(), address: person.email })
})
