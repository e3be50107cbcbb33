import type { Report } from '@watchline/contracts/reports'
import type { Clock } from '@watchline/kit/core/clock'
import { createKeyedMutex } from '@watchline/kit/core/keyed-mutex'
import { type ComputedCache, createComputedCache } from '@watchline/kit/mongo/computed-cache'
import type { Logger } from '@watchline/kit/observability/log'
import type { TaskReportQuery } from '../rules/task-report/sum-tasks.ts'

/** Reports of everybody, shared by all callers with the same query. */
export interface TaskReportCache {
  get(query: TaskReportQuery): Promise<Report>
}

interface TaskReportCacheDeps {
  clock: Clock
  log: Logger
  makeTaskReport: (query: TaskReportQuery) => Promise<Report>
  /**
   * As in `createComputedCache`. A caller whose call timed out finds the report until `staleMs`.
   */
  maxAgeMs: number
  staleMs: number
}

/** A report by person holds a row for everybody. */
const maxReports = 6
/** More calls for other reports are refused, because each of them reads the whole organisation. */
const maxWaiting = 10
const maxWaitMs = 60_000

/**
 * Guarantees that this process makes at most one report of everybody at a time, and that memory
 * holds the last few of them only. It costs waiting: another report begins after the one before.
 */
export function createTaskReportCache({
  clock,
  log,
  makeTaskReport,
  maxAgeMs,
  staleMs,
}: TaskReportCacheDeps): TaskReportCache {
  const mutex = createKeyedMutex(maxWaitMs, maxWaiting)
  const reports = new Map<string, ComputedCache<Report>>()
  return {
    get: query => {
      const key = JSON.stringify(query)
      const report =
        reports.get(key) ??
        createComputedCache({
          ...{ clock, log, name: 'report of everybody', maxAgeMs, staleMs },
          compute: () => mutex.run('everybody', () => makeTaskReport(query)),
        })
      // Reinsert, so that the map is ordered by latest use.
      reports.delete(key)
      reports.set(key, report)
      if (reports.size > maxReports) reports.delete(reports.keys().next().value!)
      return report.get()
    },
  }
}
