import { formatCount } from './format.ts'

/** How long something is kept, by its number of days; null means for ever. */
export function describeKeptDays(days: number | null): string {
  return days === null ? 'Permanently' : formatCount(days, 'day')
}
