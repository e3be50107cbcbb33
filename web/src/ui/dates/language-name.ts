const englishNames = new Intl.DisplayNames(['en'], { type: 'language' })

/** A language in its own words and in English, from its BCP 47 tag: "Deutsch (German)". */
export function nameLanguage(tag: string): string {
  try {
    const english = englishNames.of(tag) ?? tag
    const own = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? english
    const name = own.charAt(0).toLocaleUpperCase(tag) + own.slice(1)
    return name === english ? english : `${name} (${english})`
  } catch {
    // A browser may know fewer tags than the server.
    return tag
  }
}
