import { saveMailWording as operation } from '@watchline/contracts/mail-settings'
import { failField } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { defaultMailLanguages } from '../actions/replace-mail-languages.ts'
import { replaceMailWording } from '../actions/replace-mail-wording.ts'
import { requireMailLanguage } from '../actions/require-mail-language.ts'
import type { NotificationContext } from '../context.ts'
import { parseWording } from '../rules/mail-wording.ts'
import { presentMailWording } from './present-mail-wording.ts'

export const saveMailWording = defineRoute(
  operation,
  async ({ person, params: { kind }, query: { language }, body }, ctx: NotificationContext) => {
    await requireMailLanguage(ctx, language)
    const { wording, version } = body
    const parsed = wording && parseWording(kind, wording)
    if (parsed && 'problem' in parsed) failField(`wording.${parsed.field}`, parsed.problem)
    await replaceMailWording(ctx, { kind, language }, { wording, version, by: person })
    const languages = (await ctx.mailLanguages.find('languages'))?.value ?? defaultMailLanguages
    return presentMailWording(kind, language, languages, await ctx.mailWordings.list())
  },
)
