import { createTimeFormat } from '../../ui/time-format.ts'

/** The first and the last day of a report (`2026-11-20`); undefined without a bound. */
export interface ReportPeriod {
  from?: string | undefined
  until?: string | undefined
}

export const periodNames = {
  all: 'All time',
  month: 'This month',
  last_month: 'Last month',
  year: 'This year',
  dates: 'Choose dates',
} as const
export type PeriodChoice = keyof typeof periodNames

/** The period of a choice; `today` is a day, and `dates` is the period that the person entered. */
export function findPeriod(choice: PeriodChoice, today: string, dates: ReportPeriod): ReportPeriod {
  const [year, month] = today.split('-').map(Number) as [number, number]
  switch (choice) {
    case 'all':
      return {}
    case 'month':
      return { from: formatDate(year, month, 1), until: formatDate(year, month + 1, 0) }
    case 'last_month':
      return { from: formatDate(year, month - 1, 1), until: formatDate(year, month, 0) }
    case 'year':
      return { from: formatDate(year, 1, 1), until: formatDate(year, 12, 31) }
    case 'dates':
      return dates
  }
}

/** Today by the person's own clock. */
export function findToday(now = new Date()): string {
  return formatDate(now.getFullYear(), now.getMonth() + 1, now.getDate())
}

/** Months and days beyond the year's or the month's end belong to the next, as in `Date.UTC`. */
function formatDate(year: number, month: number, day: number): string {
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10)
}

const utcDate = createTimeFormat({ timeZone: 'UTC', year: 'numeric', month: 'short', day: 'numeric' })
const formatDay = (day: string) => utcDate(Date.parse(day))

export function describePeriod({ from, until }: { from: string | null; until: string | null }): string {
  if (from && until) return `${formatDay(from)} to ${formatDay(until)}`
  if (from) return `From ${formatDay(from)} on`
  return until ? `Until ${formatDay(until)}` : 'All time'
}
