/**
 * English with the day order and the clock of a locale's region: German gives `23 Nov 2026, 14:05`.
 * The texts around a date are English, so a month in another language would not fit.
 */
export function findDateLocale(systemLocale: string): string {
  const locale = readLocale(systemLocale)
  const region = locale.maximize().region ?? 'US'
  const { hourCycle } = new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions()
  // A region without its own English falls back to American English, whose order is rare.
  const isKnown = region === 'US' || new Intl.DateTimeFormat(`en-${region}`).resolvedOptions().locale !== 'en'
  return `${isKnown ? `en-${region}` : 'en-001'}-u-hc-${hourCycle ?? 'h23'}`
}

/**
 * Some browsers give a POSIX name, such as `C` or `en-US@posix`, which Intl refuses. The locale of
 * Intl itself takes its place.
 */
function readLocale(systemLocale: string): Intl.Locale {
  try {
    return new Intl.Locale(systemLocale)
  } catch {
    return new Intl.Locale(new Intl.DateTimeFormat().resolvedOptions().locale)
  }
}

let dateLocale: string | undefined

/**
 * A function that formats times (ms since 1970) for people; an invalid time is an empty text.
 * Making an Intl format takes milliseconds on a phone, so each is made once, when it is first
 * needed.
 */
export function createTimeFormat(options: Intl.DateTimeFormatOptions): (timeMs: number) => string {
  let format: Intl.DateTimeFormat | undefined
  return timeMs => {
    if (Number.isNaN(timeMs)) return ''
    dateLocale ??= findDateLocale(navigator.language)
    format ??= new Intl.DateTimeFormat(dateLocale, options)
    return format.format(timeMs)
  }
}
