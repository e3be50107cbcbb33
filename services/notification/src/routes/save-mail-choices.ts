import { saveMailChoices as operation } from '@watchline/contracts/mail'
import { defineRoute } from '@watchline/kit/http/route'
import { replaceMailChoices } from '../actions/replace-mail-choices.ts'
import type { NotificationContext } from '../context.ts'

export const saveMailChoices = defineRoute(operation, async ({ person, body }, ctx: NotificationContext) => {
  await replaceMailChoices(ctx, person.id, body)
  return { success: true as const }
})
