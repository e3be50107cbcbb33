/** The organisation's calendar. Dates are ISO, `2026-01-31`. */
export interface Calendar {
  /** The date, where the organisation is, of an instant (ms). */
  dateOf(at: number): string
  /** The last `count` dates up to that of `now`, oldest first. */
  lastDates(now: number, count: number): string[]
}

const dayMs = 24 * 3600_000

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

export function createCalendar(timeZone: string): Calendar {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  const dateOf = (at: number) => format.format(at)
  return {
    dateOf,
    lastDates: (now, count) => {
      // Dates are counted where every day has 24 hours.
      const today = Date.parse(`${dateOf(now)}T00:00:00Z`)
      return Array.from({ length: count }, (_, index) =>
        new Date(today - (count - 1 - index) * dayMs).toISOString().slice(0, 10),
      )
    },
  }
}
