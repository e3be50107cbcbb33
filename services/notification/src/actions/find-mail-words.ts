import type { MailKind } from '@watchline/contracts/mail'
import type { MailDeps, MailWordingKey } from '../context.ts'
import { type ParsedWording, parseDefaultWording, parseWording } from '../rules/mail-wording.ts'

type Deps = Pick<MailDeps, 'log' | 'mailLanguages' | 'mailWordings'>

/**
 * The words of a kind of mail in the language. A language that mails do not have, or without words
 * for this kind, falls back to the default language.
 */
export async function findMailWords(deps: Deps, kind: MailKind, language: string | undefined): Promise<ParsedWording> {
  const languages = (await deps.mailLanguages.find('languages'))?.value
  if (language !== undefined && languages?.languages.includes(language)) {
    const words = await readWords(deps, kind, language, keyOfWording(kind, language))
    if (words) return words
  }
  return (await readWords(deps, kind, languages?.default_language, kind)) ?? parseDefaultWording(kind)
}

/** Without a language, that of the default one. */
export function keyOfWording(kind: MailKind, language: string | undefined): MailWordingKey {
  return language === undefined ? kind : `${kind}:${language}`
}

/** Words that an earlier version has saved may hold a placeholder that is not known any more. */
async function readWords(
  { log, mailWordings }: Deps,
  kind: MailKind,
  language: string | undefined,
  key: MailWordingKey,
): Promise<ParsedWording | undefined> {
  const record = await mailWordings.find(key)
  if (!record?.value) return undefined
  const parsed = parseWording(kind, record.value, language)
  if (!('problem' in parsed)) return parsed
  log.warn({ kind, language, ...parsed }, 'saved words of mails cannot be used, sending the default ones')
  return undefined
}
