import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import type { Logger } from '@watchline/kit/observability/log'
import { type Connection, Schema } from 'mongoose'
import type { Report } from '../rules/crediting.ts'

interface RawReport {
  at: Date
  person_id: string
  report: Report
}

/** What players reported, word for word, kept for audits only. */
export interface RawReports extends Lifecycle {
  /** Written soon, not at once: a killed process loses what it took in the last moment. */
  note(personId: string, report: Report, at: number): void
}

const keepS = 30 * 24 * 3600
const flushMs = 250
const maxWaiting = 50_000

export function createRawReports(connection: Connection, log: Logger): RawReports {
  const schema = new Schema<RawReport>(
    { at: Date, person_id: String, report: Schema.Types.Mixed },
    {
      versionKey: false,
      collection: 'reports',
      // One series for everybody: with one a person each flush would open and rewrite as many buckets as there are viewers.
      timeseries: { timeField: 'at', granularity: 'seconds' },
      expireAfterSeconds: keepS,
    },
  )
  // An audit asks for a person, or for a stretch of time.
  schema.index({ person_id: 1, at: 1 })
  const stored = connection.model<RawReport>('RawReport', schema)
  let waiting: RawReport[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let away = false

  async function write() {
    const batch = waiting
    waiting = []
    // A write that was under way may have been followed by two that were asked for meanwhile: the first took all.
    if (batch.length === 0) return
    try {
      // Nobody waits for it and nothing depends on it.
      await stored.collection.insertMany(batch as never[], { ordered: false, writeConcern: { w: 1 } })
      away = false
    } catch (error) {
      if (!away) log.warn({ err: error, lost: batch.length }, 'raw reports are not kept')
      away = true
    }
  }

  function flush(): Promise<void> {
    if (timer) clearTimeout(timer)
    timer = undefined
    if (waiting.length === 0) return writing ?? Promise.resolve()
    writing = (writing ?? Promise.resolve()).then(write)
    return writing
  }

  return {
    note: (personId, report, at) => {
      if (waiting.length >= maxWaiting) return
      waiting.push({ at: new Date(at), person_id: personId, report })
      timer ??= setTimeout(() => void flush(), flushMs)
    },
    start: () => {},
    stop: () => flush(),
  }
}
