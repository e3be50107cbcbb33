import { saveMailLanguages as operation } from '@watchline/contracts/mail-languages'
import { defineRoute } from '@watchline/kit/http/route'
import { replaceMailLanguages } from '../actions/replace-mail-languages.ts'
import type { NotificationContext } from '../context.ts'
import { presentMailLanguages } from './present-mail-languages.ts'

export const saveMailLanguages = defineRoute(operation, async ({ person, body }, ctx: NotificationContext) => {
  const { version, ...languages } = body
  await replaceMailLanguages(ctx, { languages, version, by: person })
  return presentMailLanguages(await ctx.mailLanguages.find('languages'))
})
