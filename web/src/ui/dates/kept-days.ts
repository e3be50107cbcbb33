import { formatCount } from './format.ts'

const daysOfYear = 365

/** How long something is kept, by its number of days; null means for ever. */
export function describeKeptDays(days: number | null): string {
  if (days === null) return 'Permanently'
  return days % daysOfYear === 0 ? formatCount(days / daysOfYear, 'year') : formatCount(days, 'day')
}
