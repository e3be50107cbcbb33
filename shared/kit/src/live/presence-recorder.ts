import { limits } from '@watchline/contracts/limits'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/clock.ts'
import type { Lifecycle } from '../core/lifecycle.ts'
import { createRepeatedJob } from '../core/repeat.ts'
import type { Logger } from '../observability/log.ts'
import type { LiveStore } from './live-store.ts'
import { type PresenceReport, withPresenceWriter } from './presence-writer.ts'

export interface PresenceRecorderOptions {
  live: LiveStore
  clock: Clock
  log: Logger
}

/**
 * Reports presence to the live store in the background, so that the request itself does not wait.
 */
export interface PresenceRecorder extends Lifecycle {
  /**
   * Activity of a login session; `loginTime` in ms. Ignored less than limits.presenceReportMs after
   * the last report.
   */
  report(personId: string, sid: string, loginTime: number): void
  /**
   * The session has ended: discards its waiting report, and removes it again when that report is
   * being written.
   */
  removeSession(personId: string, sid: string): void
  start(): void
  /** Writes the waiting reports. */
  stop(): Promise<void>
}

const flushMs = 250
const batchSize = 1_000
const rememberedSessions = 100_000

/**
 * Collects the reports of a quarter of a second into one pipelined write, with at most one report a
 * session in limits.presenceReportMs. While the live store is unavailable reports are dropped, and
 * the next activity is reported anew.
 */
export function createPresenceRecorder({ live, clock, log }: PresenceRecorderOptions): PresenceRecorder {
  const store = withPresenceWriter(live)
  const reportedAt = new LRUCache<string, number>({ max: rememberedSessions })
  let waiting = new Map<string, PresenceReport>()
  let writing: { batch: ReadonlyMap<string, PresenceReport>; finished: Promise<void> } | undefined
  let isUnavailable = false

  const keyOf = (personId: string, sid: string) => `${personId} ${sid}`

  async function flush(): Promise<void> {
    const batch = waiting
    if (batch.size === 0) return
    waiting = new Map()
    writing = { batch, finished: writeBatch(batch) }
    await writing.finished
    writing = undefined
  }

  async function writeBatch(batch: Map<string, PresenceReport>) {
    try {
      const reports = [...batch.values()]
      for (let start = 0; start < reports.length; start += batchSize)
        await store.presence.report(reports.slice(start, start + batchSize))
      isUnavailable = false
    } catch (error) {
      for (const key of batch.keys()) reportedAt.delete(key)
      if (!isUnavailable) log.warn({ err: error }, 'presence not recorded; the next activity is reported again')
      isUnavailable = true
    }
  }

  const job = createRepeatedJob(flush, {
    pauseMs: flushMs,
    onError: error => log.error({ err: error }, 'presence not recorded; the next activity is reported again'),
  })

  return {
    report: (personId, sid, loginTime) => {
      const key = keyOf(personId, sid)
      const at = clock.now()
      const last = reportedAt.get(key)
      if (last !== undefined && at - last < limits.presenceReportMs) return
      reportedAt.set(key, at)
      waiting.set(key, { personId, sid, loginTime, at })
    },
    removeSession: (personId, sid) => {
      const key = keyOf(personId, sid)
      waiting.delete(key)
      reportedAt.delete(key)
      if (writing?.batch.has(key))
        void writing.finished.then(() => store.presence.removeSession(personId, sid)).catch(() => {})
    },
    start: job.start,
    stop: async () => {
      await job.stop()
      await flush()
    },
  }
}
