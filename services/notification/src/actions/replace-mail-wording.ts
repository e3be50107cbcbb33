import type { MailKind } from '@watchline/contracts/mail'
import type { MailWording } from '@watchline/contracts/mail-settings'
import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { NotificationContext } from '../context.ts'
import { loadWordings } from './find-mail-words.ts'
import { findFallbackWords, findSavedWords } from './find-saved-words.ts'
import { defaultMailLanguages } from './replace-mail-languages.ts'

type Deps = Pick<NotificationContext, 'clock' | 'mailLanguages' | 'mailWordings' | 'outbox'>

const maxAuditText = 1_000

/**
 * Replaces the words of a version in a language, undefined for the default one. Fails with
 * `edited_elsewhere` if there is a newer version.
 */
export async function replaceMailWording(
  { clock, mailLanguages, mailWordings, outbox }: Deps,
  { kind, language }: { kind: MailKind; language: string | undefined },
  { wording, version, by }: { wording: MailWording | null; version: number; by: Person },
): Promise<void> {
  await outbox.transaction(async tx => {
    const languages = (await mailLanguages.find('languages', tx.session))?.value ?? defaultMailLanguages
    const { default_language } = languages
    const tag = language ?? default_language
    const wordings = await loadWordings({ mailWordings }, kind, [tag, default_language], languages, tx.session)
    const { key, record: previous } = findSavedWords(kind, tag, languages, wordings)
    const at = new Date(clock.now())
    if ((previous?.version ?? 0) !== version) fail('edited_elsewhere')
    if (!(await mailWordings.replace(key, { value: wording, version, at, by }, tx.session))) fail('edited_elsewhere')
    const fallback = () => findFallbackWords(kind, tag, languages, wordings)
    const before = previous?.value ?? fallback()
    wordings.delete(key)
    const after = wording ?? fallback()
    tx.publish('mail_settings.changed', kind, {
      setting: 'wording',
      by: by.id,
      changed_at: at.toISOString(),
      kind,
      ...(language !== undefined && { language }),
      is_default: wording === null,
      changes: describeChanges(before, after),
    })
  })
}

function describeChanges(before: MailWording, after: MailWording) {
  const cut = (words: string) => words.slice(0, maxAuditText)
  const fields = (['subject', 'text', 'link_label'] as const).filter(field => before[field] !== after[field])
  return fields.map(field => ({ field, before: cut(before[field]), after: cut(after[field]) }))
}
