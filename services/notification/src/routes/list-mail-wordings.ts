import { mailKind } from '@watchline/contracts/mail'
import { listMailWordings as operation } from '@watchline/contracts/mail-settings'
import { defineRoute } from '@watchline/kit/http/route'
import { requireMailLanguage } from '../actions/require-mail-language.ts'
import type { NotificationContext } from '../context.ts'
import { defaultMailLanguages } from '../rules/mail-languages.ts'
import { presentMailWording } from './present-mail-wording.ts'

export const listMailWordings = defineRoute(operation, async ({ query: { language } }, ctx: NotificationContext) => {
  await requireMailLanguage(ctx, language)
  const languages = (await ctx.mailLanguages.find('languages'))?.value ?? defaultMailLanguages
  const records = await ctx.mailWordings.list()
  return mailKind.options.map(kind => presentMailWording(kind, language, languages, records))
})
