import { limits } from '@watchline/contracts/limits'

export function latestOf(first: Date, ...more: (Date | undefined)[]): Date {
  return more.reduce<Date>((latest, date) => (date && date > latest ? date : latest), first)
}

/** Evidence is fresh for as long as a lock lasts. `now` in ms. */
export function isFresh(evidence: Date, now: number): boolean {
  return evidence.getTime() > now - limits.monitoringLockMs
}
