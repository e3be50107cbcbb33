import type { MailKind } from '@watchline/contracts/mail'
import { type MailWording, mailPlaceholders, type SavedMailWording } from '@watchline/contracts/mail-settings'
import { findFallbackWords, findSavedWords } from '../actions/find-saved-words.ts'
import type { MailWordingKey, StoredMailLanguages } from '../context.ts'
import type { SavedSetting } from '../store/saved-settings.ts'

/** Other words stand in for those that the language does not have. */
export function presentMailWording(
  kind: MailKind,
  language: string | undefined,
  languages: StoredMailLanguages,
  records: ReadonlyMap<MailWordingKey, SavedSetting<MailWording>>,
): SavedMailWording {
  const tag = language ?? languages.default_language
  const { record } = findSavedWords(kind, tag, languages, records)
  return {
    kind,
    ...(language !== undefined && { language }),
    ...(record?.value ?? findFallbackWords(kind, tag, languages, records)),
    is_default: !record?.value,
    placeholders: [...mailPlaceholders[kind]],
    version: record?.version ?? 0,
    updated_at: record?.updatedAt.toISOString() ?? null,
    updated_by: record?.updatedBy ?? null,
  }
}
