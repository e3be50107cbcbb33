import type { MailKind } from '@watchline/contracts/mail'
import type { MailWording } from '@watchline/contracts/mail-settings'
import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { NotificationContext } from '../context.ts'
import { defaultWordings } from '../rules/mail-wording.ts'
import { keyOfWording } from './find-mail-words.ts'

type Deps = Pick<NotificationContext, 'clock' | 'mailWordings' | 'outbox'>

const maxAuditText = 1_000

/**
 * Replaces the words of a version in a language, undefined for the default one. Fails with
 * `edited_elsewhere` if there is a newer version.
 */
export async function replaceMailWording(
  { clock, mailWordings, outbox }: Deps,
  { kind, language }: { kind: MailKind; language: string | undefined },
  { wording, version, by }: { wording: MailWording | null; version: number; by: Person },
): Promise<void> {
  const key = keyOfWording(kind, language)
  await outbox.transaction(async tx => {
    const previous = await mailWordings.find(key, tx.session)
    const inDefaultLanguage = language === undefined ? undefined : await mailWordings.find(kind, tx.session)
    const fallback = inDefaultLanguage?.value ?? defaultWordings[kind]
    const at = new Date(clock.now())
    if ((previous?.version ?? 0) !== version) fail('edited_elsewhere')
    if (!(await mailWordings.replace(key, { value: wording, version, at, by }, tx.session))) fail('edited_elsewhere')
    const [before, after] = [previous?.value ?? fallback, wording ?? fallback]
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
