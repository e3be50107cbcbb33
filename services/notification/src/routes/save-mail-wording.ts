import { type MailWording, saveMailWording as operation } from '@watchline/contracts/mail-settings'
import { fail, failField } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { loadWordings } from '../actions/find-mail-words.ts'
import { findFallbackWords, findSavedWords } from '../actions/find-saved-words.ts'
import { requireMailLanguage } from '../actions/require-mail-language.ts'
import type { NotificationContext } from '../context.ts'
import { defaultMailLanguages } from '../rules/mail-languages.ts'
import { parseWording } from '../rules/mail-wording.ts'
import { presentMailWording } from './present-mail-wording.ts'

export const saveMailWording = defineRoute(
  operation,
  async ({ person, params: { kind }, query: { language }, body }, ctx: NotificationContext) => {
    await requireMailLanguage(ctx, language)
    const { wording, version } = body
    const parsed = wording && parseWording(kind, wording)
    if (parsed && 'problem' in parsed) failField(`wording.${parsed.field}`, parsed.problem)

    await ctx.outbox.transaction(async tx => {
      const languages = (await ctx.mailLanguages.find('languages', tx.session))?.value ?? defaultMailLanguages
      const tag = language ?? languages.default_language
      const wordings = await loadWordings(ctx, kind, [tag, languages.default_language], languages, tx.session)
      const { key, record: previous } = findSavedWords(kind, tag, languages, wordings)
      if ((previous?.version ?? 0) !== version) fail('edited_elsewhere')
      const at = new Date(ctx.clock.now())
      const replacement = { value: wording, version, at, by: person }
      if (!(await ctx.mailWordings.replace(key, replacement, tx.session))) fail('edited_elsewhere')
      const before = previous?.value ?? findFallbackWords(kind, tag, languages, wordings)
      wordings.delete(key)
      const after = wording ?? findFallbackWords(kind, tag, languages, wordings)
      tx.publish('mail_settings.changed', kind, {
        setting: 'wording',
        by: person.id,
        changed_at: at.toISOString(),
        kind,
        ...(language !== undefined && { language }),
        is_default: wording === null,
        changes: describeChanges(before, after),
      })
    })

    const languages = (await ctx.mailLanguages.find('languages'))?.value ?? defaultMailLanguages
    return presentMailWording(kind, language, languages, await ctx.mailWordings.list())
  },
)

const maxAuditText = 1_000

function describeChanges(before: MailWording, after: MailWording) {
  const cut = (words = '') => words.slice(0, maxAuditText)
  const names = ['subject', 'text', 'link_label', 'footer'] as const
  const fields = names.filter(field => before[field] !== after[field])
  return fields.map(field => ({ field, before: cut(before[field]), after: cut(after[field]) }))
}
