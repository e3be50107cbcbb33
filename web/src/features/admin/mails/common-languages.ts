/** Offered by name; any other language can be added by its tag. By their English names. */
export const commonLanguages: readonly string[] = [
  ...['ar', 'bg', 'zh-Hans', 'zh-Hant', 'hr', 'cs', 'da', 'nl', 'en', 'en-US', 'et', 'fi', 'fr', 'fr-CA', 'de'],
  ...['de-AT', 'de-CH', 'el', 'he', 'hi', 'hu', 'id', 'ga', 'it', 'ja', 'ko', 'lv', 'lt', 'mt', 'nb', 'fa', 'pl'],
  ...['pt', 'pt-BR', 'ro', 'ru', 'sr', 'sk', 'sl', 'es', 'es-MX', 'sv', 'tr', 'uk', 'ur', 'vi'],
]
