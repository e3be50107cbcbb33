import type { MailKind } from '@watchline/contracts/mail'
import { builtInLanguage } from '@watchline/contracts/mail-languages'
import type { MailDeps, StoredMailLanguages } from '../context.ts'
import { defaultMailLanguages } from '../rules/mail-languages.ts'
import { type ParsedWording, parseDefaultWording, parseWording } from '../rules/mail-wording.ts'
import { findSavedWords, keysOfWording, type SavedWordings } from './find-saved-words.ts'

type Deps = Pick<MailDeps, 'log' | 'mailLanguages' | 'mailWordings'>

/**
 * The words of a kind of mail in the language. A language that mails do not have, or without words
 * for this kind, falls back to the default language, and this to the words of Watchline.
 */
export async function findMailWords(deps: Deps, kind: MailKind, language: string | undefined): Promise<ParsedWording> {
  const languages = (await deps.mailLanguages.find('languages'))?.value ?? defaultMailLanguages
  const isOffered = language !== undefined && languages.languages.includes(language)
  const inOrder = isOffered ? [language, languages.default_language] : [languages.default_language]
  const wordings = await loadWordings(deps, kind, inOrder, languages)
  for (const tag of inOrder) {
    const words = readWords(deps, kind, tag, findSavedWords(kind, tag, languages, wordings).record?.value)
    if (words) return words
    if (tag === builtInLanguage) break
  }
  return parseDefaultWording(kind)
}

/** The words of a kind of mail that administrators have saved in these languages. */
export async function loadWordings(
  { mailWordings }: Pick<MailDeps, 'mailWordings'>,
  kind: MailKind,
  tags: readonly string[],
  languages: StoredMailLanguages,
  session?: Parameters<MailDeps['mailWordings']['find']>[1],
): Promise<SavedWordings> {
  const wordings: SavedWordings = new Map()
  for (const key of new Set(tags.flatMap(tag => keysOfWording(kind, tag, languages)))) {
    const record = await mailWordings.find(key, session)
    if (record) wordings.set(key, record)
  }
  return wordings
}

/** Words that an earlier version has saved may hold a placeholder that is not known any more. */
function readWords(
  { log }: Deps,
  kind: MailKind,
  language: string,
  words: Parameters<typeof parseWording>[1] | undefined,
): ParsedWording | undefined {
  if (!words) return undefined
  const parsed = parseWording(kind, words, language)
  if (!('problem' in parsed)) return parsed
  log.warn({ kind, language, ...parsed }, 'saved words of mails cannot be used, sending the default ones')
  return undefined
}
