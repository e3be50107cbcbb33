import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import type { Logger } from '@watchline/kit/observability/log'
import { type Connection, Schema } from 'mongoose'
import type { Report } from '../rules/crediting.ts'

interface RawReport {
  at: Date
  person_id: string
  report: Report
}

/** The reports as players sent them, for audits only. */
export interface RawReports extends Lifecycle {
  /** Writes after at most {@link flushMs}. A killed process loses the reports of that time. */
  record(personId: string, report: Report, at: number): void
  /**
   * Removes a person's reports where MongoDB can: before version 7 it cannot delete single
   * documents of a time series. There the reports, which name nobody, expire.
   */
  remove(personId: string): Promise<void>
}

const flushMs = 250
const maxPending = 50_000
/** MongoDB's InvalidOptions. */
const unsupportedDelete = 72

export function createRawReports(connection: Connection, log: Logger, retentionS: number): RawReports {
  const schema = new Schema<RawReport>(
    { at: Date, person_id: String, report: Schema.Types.Mixed },
    {
      versionKey: false,
      collection: 'reports',
      // One series for everybody. With one for each person a flush would rewrite a bucket for each.
      timeseries: { timeField: 'at', granularity: 'seconds' },
      expireAfterSeconds: retentionS,
    },
  )
  // An audit searches by person or by time.
  schema.index({ person_id: 1, at: 1 })
  const stored = connection.model<RawReport>('RawReport', schema)
  let pending: RawReport[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let isFailing = false

  async function write() {
    const batch = pending
    pending = []
    // Two writes may queue behind a running one. The first of them takes everything.
    if (batch.length === 0) return
    try {
      // No caller waits for this write, so one acknowledging member is enough.
      await stored.collection.insertMany(batch as never[], { ordered: false, writeConcern: { w: 1 } })
      isFailing = false
    } catch (error) {
      if (!isFailing) log.warn({ err: error, lost: batch.length }, 'write of raw reports failed, reports dropped')
      isFailing = true
    }
  }

  function flush(): Promise<void> {
    if (timer) clearTimeout(timer)
    timer = undefined
    if (pending.length === 0) return writing ?? Promise.resolve()
    writing = (writing ?? Promise.resolve()).then(write)
    return writing
  }

  return {
    record: (personId, report, at) => {
      if (pending.length >= maxPending) return
      pending.push({ at: new Date(at), person_id: personId, report })
      timer ??= setTimeout(() => void flush(), flushMs)
    },
    remove: async personId => {
      pending = pending.filter(report => report.person_id !== personId)
      await stored.collection.deleteMany({ person_id: personId }).catch(error => {
        if ((error as { code?: unknown }).code !== unsupportedDelete) throw error
      })
    },
    start: () => {},
    stop: () => flush(),
  }
}
