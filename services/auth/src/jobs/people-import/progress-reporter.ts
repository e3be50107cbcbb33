import { limits } from '@watchline/contracts/limits'
import type { PeopleImport } from '@watchline/contracts/people-imports'

const reportIntervalMs = 300
/** Unchanged progress is reported this often, to show that the run is alive. */
const heartbeatMs = limits.importStaleMs / 5

export interface ProgressReporter {
  setTotal(total: number): void
  setDone(done: number): void
  stop(): Promise<void>
}

/**
 * Passes the latest progress to `report` at most every 300 ms. A failed report is dropped; the next
 * one replaces it.
 */
export function createProgressReporter(
  report: (progress: PeopleImport['progress']) => Promise<void>,
): ProgressReporter {
  let progress = { done: 0, total: 0 }
  let reported: typeof progress | undefined
  let reportedAt = performance.now()
  let reporting: Promise<void> | undefined
  const timer = setInterval(() => {
    if (reporting || (progress === reported && performance.now() - reportedAt < heartbeatMs)) return
    reported = progress
    reportedAt = performance.now()
    reporting = report(progress)
      .catch(() => {})
      .finally(() => {
        reporting = undefined
      })
  }, reportIntervalMs)
  return {
    setTotal: total => {
      progress = { done: 0, total }
    },
    setDone: done => {
      progress = { ...progress, done }
    },
    stop: async () => {
      clearInterval(timer)
      await reporting
    },
  }
}
