import { builtInLanguage, type MailLanguages } from '@watchline/contracts/mail-languages'

/** The languages until an administrator saves others. */
export const defaultMailLanguages: MailLanguages = { default_language: builtInLanguage, languages: [] }
