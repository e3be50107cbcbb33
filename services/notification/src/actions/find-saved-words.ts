import type { MailKind } from '@watchline/contracts/mail'
import { builtInLanguage } from '@watchline/contracts/mail-languages'
import type { MailWording } from '@watchline/contracts/mail-settings'
import type { MailWordingKey, StoredMailLanguages } from '../context.ts'
import { defaultWordings } from '../rules/mail-wording.ts'
import type { SavedSetting } from '../store/saved-settings.ts'

export type SavedWordings = Map<MailWordingKey, SavedSetting<MailWording>>

/**
 * Where the words of a language may be stored. Those without a language in their key are of the
 * language that was the default one when they were saved first.
 */
export function keysOfWording(kind: MailKind, language: string, languages: StoredMailLanguages): MailWordingKey[] {
  const { unnamed_words_language = languages.default_language } = languages
  return language === unnamed_words_language ? [`${kind}:${language}`, kind] : [`${kind}:${language}`]
}

/**
 * The saved words of a language, whichever is the default one. Earlier versions could store words
 * of one language under both keys: then the latest ones count.
 */
export function findSavedWords(
  kind: MailKind,
  language: string,
  languages: StoredMailLanguages,
  wordings: ReadonlyMap<MailWordingKey, SavedSetting<MailWording>>,
): { key: MailWordingKey; record: SavedSetting<MailWording> | undefined } {
  const keys = keysOfWording(kind, language, languages)
  const saved = keys.flatMap(key => {
    const record = wordings.get(key)
    return record ? [{ key, record }] : []
  })
  const rank = ({ value, updatedAt }: SavedSetting<MailWording>) => (value ? updatedAt.getTime() : 0)
  saved.sort((a, b) => rank(b.record) - rank(a.record))
  return saved[0] ?? { key: keys.at(-1)!, record: undefined }
}

/** The words in place of those that a language does not have. */
export function findFallbackWords(
  kind: MailKind,
  language: string,
  languages: StoredMailLanguages,
  wordings: ReadonlyMap<MailWordingKey, SavedSetting<MailWording>>,
): MailWording {
  const ofDefault =
    language === builtInLanguage
      ? undefined
      : findSavedWords(kind, languages.default_language, languages, wordings).record?.value
  return ofDefault ?? defaultWordings[kind]
}
