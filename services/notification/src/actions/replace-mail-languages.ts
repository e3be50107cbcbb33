import { builtInLanguage, type MailLanguages } from '@watchline/contracts/mail-languages'
import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { NotificationContext, StoredMailLanguages } from '../context.ts'

type Deps = Pick<NotificationContext, 'clock' | 'mailLanguages' | 'outbox'>

/** Replaces the languages of a version. Fails with `edited_elsewhere` if there is a newer one. */
export async function replaceMailLanguages(
  { clock, mailLanguages, outbox }: Deps,
  { languages, version, by }: { languages: MailLanguages; version: number; by: Person },
): Promise<void> {
  await outbox.transaction(async tx => {
    const previous = await mailLanguages.find('languages', tx.session)
    const at = new Date(clock.now())
    const value = { ...languages, unnamed_words_language: findUnnamedLanguage(previous?.value, languages) }
    const change = { value, version, at, by }
    if ((previous?.version ?? 0) !== version) fail('edited_elsewhere')
    if (!(await mailLanguages.replace('languages', change, tx.session))) fail('edited_elsewhere')
    const [before, after] = [describeLanguages(previous?.value ?? defaultMailLanguages), describeLanguages(languages)]
    const fields = (['default_language', 'languages'] as const).filter(field => before[field] !== after[field])
    tx.publish('mail_settings.changed', 'languages', {
      setting: 'wording',
      by: by.id,
      changed_at: at.toISOString(),
      changes: fields.map(field => ({ field, before: before[field], after: after[field] })),
    })
  })
}

/** Before an administrator saves languages. */
export const defaultMailLanguages: MailLanguages = { default_language: builtInLanguage, languages: [] }

/**
 * Words belong to the language that was the default one when they were written, so that another
 * default language does not send them as its own. Before the first choice, their language is
 * unknown: the first default language names it.
 */
function findUnnamedLanguage(previous: StoredMailLanguages | undefined, languages: MailLanguages): string {
  return previous?.unnamed_words_language ?? previous?.default_language ?? languages.default_language
}

function describeLanguages({ default_language, languages }: MailLanguages) {
  return { default_language, languages: languages.toSorted().join(', ') }
}
