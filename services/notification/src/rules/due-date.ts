/** A due date on the clocks of its time zone. */
export interface LocalDueDate {
  local: string
  time_zone: string
}

/** English dates of Watchline have the day first. */
const defaultLocale = 'en-GB'

const localeOf = (language: string | undefined) =>
  language === undefined || language === 'en' ? defaultLocale : language

/** Whether words that come with Watchline fit into text of the language. */
export function isEnglish(language: string | undefined): boolean {
  return language === undefined || new Intl.Locale(language).language === 'en'
}

/**
 * The due date of an activity: in words for people without the web client, and as an instant, which
 * the web client shows by the clock of the device.
 */
export function makeDueFacts(due: LocalDueDate & { at: string }): { text: string; dueAt: string } {
  return { text: formatDueDate(due), dueAt: due.at }
}

/** A due date in words, in its time zone: "31 January 2027 at 17:00 (Europe/Berlin)". */
export function formatDueDate({ local, time_zone }: LocalDueDate, language?: string): string {
  // UTC shows the local time unchanged.
  return `${timeFormatOf('UTC', language).format(new Date(`${local}Z`))} (${time_zone})`
}

/** A moment in words, on the clocks of the time zone. */
export function formatMoment(at: string, timeZone: string, language?: string): string {
  return `${timeFormatOf(timeZone, language).format(new Date(at))} (${timeZone})`
}

/** A period from the first to the last of its days (`2027-01-31`). */
export function formatPeriod(from: string, until: string, language?: string): string {
  const format = new Intl.DateTimeFormat(localeOf(language), { timeZone: 'UTC', dateStyle: 'long' })
  const [first, last] = [new Date(`${from}T00:00:00Z`), new Date(`${until}T00:00:00Z`)]
  if (from === until) return format.format(first)
  return isEnglish(language) ? `${format.format(first)} to ${format.format(last)}` : format.formatRange(first, last)
}

/** Making a format takes longer than using it a hundred times, and a digest has up to 100 dates. */
const timeFormats = new Map<string, Intl.DateTimeFormat>()
const maxTimeFormats = 500

function timeFormatOf(timeZone: string, language: string | undefined): Intl.DateTimeFormat {
  const key = `${timeZone} ${localeOf(language)}`
  const made = timeFormats.get(key)
  if (made) return made
  const format = new Intl.DateTimeFormat(localeOf(language), {
    ...{ timeZone, day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit' },
  })
  if (timeFormats.size >= maxTimeFormats) timeFormats.clear()
  timeFormats.set(key, format)
  return format
}
