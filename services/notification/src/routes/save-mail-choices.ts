import { saveMailChoices as operation } from '@watchline/contracts/mail'
import { defineRoute } from '@watchline/kit/http/route'
import type { NotificationContext } from '../context.ts'

export const saveMailChoices = defineRoute(operation, async ({ person, body }, ctx: NotificationContext) => {
  await ctx.mailChoices.save(person.id, body.kinds)
  return { success: true as const }
})
