import { isTimeZone } from '@watchline/contracts/fields'
import { findReportDates, type ReportPeriod as MovingPeriod } from '@watchline/contracts/reports'
import { createTimeFormat } from '../../ui/dates/time-format.ts'

/** The first and the last day of a report (`2026-11-20`); undefined without a bound. */
export interface ReportPeriod {
  from?: string | undefined
  until?: string | undefined
}

/** The periods that move with the day. */
export const movingPeriods: Record<MovingPeriod, string> = {
  all: 'All time',
  last_7_days: 'Last 7 days',
  last_30_days: 'Last 30 days',
  this_month: 'This month',
  last_month: 'Last month',
  this_quarter: 'This quarter',
  this_year: 'This year so far',
}

export const periodNames = { ...movingPeriods, dates: 'Choose dates' }
export type PeriodChoice = keyof typeof periodNames
export const periodChoices = Object.keys(periodNames) as PeriodChoice[]

/** The period of a choice; `today` is a day, and `dates` is the period that the person entered. */
export function findPeriod(choice: PeriodChoice, today: string, dates: ReportPeriod): ReportPeriod {
  return choice === 'dates' ? dates : findReportDates(choice, today)
}

/**
 * Today in the time zone of the organisation. By the person's own clock if that is not known, here
 * or in their browser.
 */
export function findToday(organisationZone = '', now = new Date()): string {
  const timeZone = isTimeZone(organisationZone) ? organisationZone : undefined
  // Swedish dates have the form of ISO 8601.
  return now.toLocaleDateString('sv-SE', { timeZone })
}

const utcDate = createTimeFormat({ timeZone: 'UTC', year: 'numeric', month: 'short', day: 'numeric' })
const formatDay = (day: string) => utcDate(Date.parse(day))

export function describePeriod({ from, until }: { from: string | null; until: string | null }): string {
  if (from && until) return `${formatDay(from)} to ${formatDay(until)}`
  if (from) return `From ${formatDay(from)} on`
  return until ? `Until ${formatDay(until)}` : 'All time'
}
