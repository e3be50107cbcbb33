/** A calendar day as instants in ms: `start` belongs to it, `end` is the start of the next day. */
export interface Day {
  start: number
  end: number
}

/** A calendar of one time zone. Instants are in ms; dates are ISO 8601 (`2026-01-31`). */
export interface Calendar {
  readonly timeZone: string
  /** The day that `now` falls on. */
  dayOf(now: number): Day
  /** The date of an instant. */
  dateOf(at: number): string
  /** The last `count` dates up to that of `now`, oldest first. */
  lastDates(now: number, count: number): string[]
}

const hourMs = 3600_000
const utcDayMs = 24 * hourMs
/** No day is longer: 24 hours and the largest clock change. */
const longestDayMs = 36 * hourMs

const localFormats = new Map<string, Intl.DateTimeFormat>()
/** There are about 400 zones, but each may be spelled in many ways. */
const maxLocalFormats = 1_000

/** The local date and time in the time zone at an instant: ISO 8601, to the minute. */
export function localTimeOf(at: number, timeZone: string): string {
  let format = localFormats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('sv-SE', {
      ...{ timeZone, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
    })
    if (localFormats.size >= maxLocalFormats) localFormats.clear()
    localFormats.set(timeZone, format)
  }
  return format.format(at).replace(' ', 'T')
}

/**
 * The time zone, or the fallback if this installation does not know it: names disappear from the tz
 * database. Stored names must pass here. An unknown name throws, and would stop a job for
 * everybody.
 */
export function replaceUnknownTimeZone(timeZone: string, fallback: string): string {
  try {
    // Unlike `isTimeZone`, this keeps the format of a zone for the next time.
    localTimeOf(0, timeZone)
    return timeZone
  } catch {
    return fallback
  }
}

/**
 * The instant, in ms, of `localTime` in the time zone (`2026-03-29T17:00`). A time that a clock
 * change skips counts by the clock before the change. Of a repeated time the first one counts (RFC
 * 5545, 3.3.5).
 */
export function instantOf(localTime: string, timeZone: string): number {
  const asUtc = Date.parse(`${localTime}Z`)
  const offsetAt = (at: number) => Date.parse(`${localTimeOf(at, timeZone)}Z`) - at
  // No offset from UTC is larger than a day, and no two changes of a zone are so close.
  const byClockBefore = asUtc - offsetAt(asUtc - utcDayMs)
  const byClockAfter = asUtc - offsetAt(asUtc + utcDayMs)
  const isShown = (at: number) => localTimeOf(at, timeZone) === localTime
  return isShown(byClockBefore) || !isShown(byClockAfter) ? byClockBefore : byClockAfter
}

/**
 * The calendar of an IANA time zone. It searches for a day's bounds instead of computing them from
 * an offset. Days may have 23 or 25 hours, and need not begin at midnight.
 */
export function createCalendar(timeZone: string): Calendar {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  const dateOf = (at: number) => format.format(at)
  let latest: Day | undefined

  return {
    timeZone,
    dateOf,
    dayOf: now => {
      if (latest && now >= latest.start && now < latest.end) return latest
      const at = Math.floor(now)
      const today = dateOf(at)
      latest = {
        start: firstInstant(at - longestDayMs, at, instant => dateOf(instant) === today),
        end: firstInstant(at, at + longestDayMs, instant => dateOf(instant) !== today),
      }
      return latest
    },
    lastDates: (now, count) => {
      // Counted in UTC, where every day has 24 hours.
      const today = Date.parse(`${dateOf(now)}T00:00:00Z`)
      return Array.from({ length: count }, (_, index) =>
        new Date(today - (count - 1 - index) * utcDayMs).toISOString().slice(0, 10),
      )
    },
  }
}

/**
 * The first instant after `from`, up to `to`, for which the predicate is true. The predicate must
 * be true for `to` and for all instants after the first.
 */
function firstInstant(from: number, to: number, predicate: (at: number) => boolean): number {
  let low = from
  let high = to
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (predicate(middle)) high = middle
    else low = middle
  }
  return high
}
