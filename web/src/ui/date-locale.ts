/**
 * English with the day order and the clock of a locale's region: German gives `23 Nov 2026, 14:05`.
 * The texts around a date are English, so a month in another language would not fit.
 */
export function findDateLocale(systemLocale: string): string {
  const region = new Intl.Locale(systemLocale).maximize().region ?? 'US'
  const { hourCycle } = new Intl.DateTimeFormat(systemLocale, { hour: 'numeric' }).resolvedOptions()
  // A region without its own English falls back to American English, whose order is rare.
  const isKnown = region === 'US' || new Intl.DateTimeFormat(`en-${region}`).resolvedOptions().locale !== 'en'
  return `${isKnown ? `en-${region}` : 'en-001'}-u-hc-${hourCycle ?? 'h23'}`
}

/** For every date and time that the client formats. */
export const dateLocale = findDateLocale(new Intl.DateTimeFormat().resolvedOptions().locale)
