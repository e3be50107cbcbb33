import { z } from 'zod'
import { time } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'

const service = 'notification'

/**
 * The BCP 47 tag in its canonical form: `pt-BR` for `pt-br`. Undefined for a text that is no tag,
 * and for a language in which `Intl` cannot write dates.
 */
export function findLanguageTag(text: string): string | undefined {
  try {
    // Extensions, for instance of the calendar, are no part of the language.
    const tag = new Intl.Locale(text.trim()).baseName
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0 ? tag : undefined
  } catch {
    return undefined
  }
}

/** A canonical BCP 47 tag, such as `de` or `pt-BR`. */
export const languageTag = z
  .string()
  .max(35)
  .refine(tag => findLanguageTag(tag) === tag, 'is not a known language tag, such as de or pt-BR')

/** The language of the words that come with Watchline. */
export const builtInLanguage = 'en'

/**
 * A person without a choice gets the default language, and so does everybody whose language is
 * removed or has no words for a mail. Each language keeps its words, whichever is the default one.
 */
export const mailLanguages = z
  .object({
    default_language: languageTag,
    /** Further languages in which mails may have words. */
    languages: z
      .array(languageTag)
      .max(limits.mailLanguagesMax, `must have at most ${limits.mailLanguagesMax} languages`)
      .refine(tags => new Set(tags).size === tags.length, 'names a language twice'),
  })
  .refine(({ default_language, languages }) => !languages.includes(default_language), {
    path: ['languages'],
    message: 'names the default language',
  })
export type MailLanguages = z.infer<typeof mailLanguages>

const savedMailLanguages = z.object({
  // A browser may know fewer languages than the server.
  default_language: z.string(),
  languages: z.array(z.string()),
  /** Grows by one with every change; 0 before the first. */
  version: z.number().int().min(0),
  updated_at: time.nullable(),
  /** The name of the administrator at that time. */
  updated_by: z.string().nullable(),
})
export type SavedMailLanguages = z.infer<typeof savedMailLanguages>

export const getMailLanguages = defineOperation({
  name: 'getMailLanguages',
  service,
  method: 'GET',
  path: '/notifications/mail/languages',
  callers: ['admin'],
  summary: 'The languages in which mails may have words.',
  response: savedMailLanguages,
  errors: ['forbidden'],
})

export const saveMailLanguages = defineOperation({
  name: 'saveMailLanguages',
  service,
  method: 'PUT',
  path: '/notifications/mail/languages',
  callers: ['admin'],
  summary:
    'Replaces the languages of mails, also for mails that wait. The words of a removed language stay stored, and are back when it is added again; meanwhile its people get the default language. `edited_elsewhere` if `version` is not the current one.',
  body: mailLanguages.safeExtend({ version: z.number().int().min(0) }),
  response: savedMailLanguages,
  errors: ['forbidden', 'edited_elsewhere', 'invalid'],
})
