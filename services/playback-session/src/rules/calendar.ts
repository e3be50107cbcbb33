/** A calendar day as instants in ms: `start` belongs to it, `end` is the start of the next. */
export interface Day {
  start: number
  end: number
}

export interface Calendar {
  /** The day, where the organisation is, that `now` (ms) falls on. */
  dayOf(now: number): Day
}

const hourMs = 3600_000
/** No day is longer: 24 hours and the largest change of a clock. */
const longestDayMs = 36 * hourMs

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/**
 * The organisation's calendar. A day's bounds are searched for rather than computed from an offset, so that days of 23 and 25
 * hours, and those that do not begin at midnight, are right by construction.
 */
export function createCalendar(timeZone: string): Calendar {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  const dateOf = (at: number) => format.format(at)
  let latest: Day | undefined

  /** The first instant after `from`, not after `to`, that falls on another date than `from`. */
  function change(from: number, to: number, isBefore: (at: number) => boolean): number {
    let low = from
    let high = to
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (isBefore(middle)) low = middle
      else high = middle
    }
    return high
  }

  return {
    dayOf: now => {
      if (latest && now >= latest.start && now < latest.end) return latest
      const at = Math.floor(now)
      const today = dateOf(at)
      latest = {
        start: change(at - longestDayMs, at, each => dateOf(each) !== today),
        end: change(at, at + longestDayMs, each => dateOf(each) === today),
      }
      return latest
    },
  }
}
