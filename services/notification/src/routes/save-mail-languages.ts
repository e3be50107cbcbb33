import { type MailLanguages, saveMailLanguages as operation } from '@watchline/contracts/mail-languages'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { NotificationContext, StoredMailLanguages } from '../context.ts'
import { defaultMailLanguages } from '../rules/mail-languages.ts'
import { presentMailLanguages } from './present-mail-languages.ts'

export const saveMailLanguages = defineRoute(operation, async ({ person, body }, ctx: NotificationContext) => {
  const { version, ...languages } = body
  await ctx.outbox.transaction(async tx => {
    const previous = await ctx.mailLanguages.find('languages', tx.session)
    if ((previous?.version ?? 0) !== version) fail('edited_elsewhere')
    const at = new Date(ctx.clock.now())
    const value = { ...languages, unnamed_words_language: findUnnamedLanguage(previous?.value, languages) }
    const replacement = { value, version, at, by: person }
    if (!(await ctx.mailLanguages.replace('languages', replacement, tx.session))) fail('edited_elsewhere')
    tx.publish('mail_settings.changed', 'languages', {
      setting: 'wording',
      by: person.id,
      changed_at: at.toISOString(),
      changes: describeChanges(previous?.value ?? defaultMailLanguages, languages),
    })
  })
  return presentMailLanguages(await ctx.mailLanguages.find('languages'))
})

/**
 * Words belong to the language that was the default one when they were written, so that another
 * default language does not send them as its own. Before the first choice, their language is
 * unknown: the first default language names it.
 */
function findUnnamedLanguage(previous: StoredMailLanguages | undefined, languages: MailLanguages): string {
  return previous?.unnamed_words_language ?? previous?.default_language ?? languages.default_language
}

function describeChanges(previous: MailLanguages, languages: MailLanguages) {
  const [before, after] = [describeLanguages(previous), describeLanguages(languages)]
  const fields = (['default_language', 'languages'] as const).filter(field => before[field] !== after[field])
  return fields.map(field => ({ field, before: before[field], after: after[field] }))
}

function describeLanguages({ default_language, languages }: MailLanguages) {
  return { default_language, languages: languages.toSorted().join(', ') }
}
