import { builtInLanguage, type MailLanguages } from '@watchline/contracts/mail-languages'

/** Before an administrator saves languages. */
export const defaultMailLanguages: MailLanguages = { default_language: builtInLanguage, languages: [] }
