import { fullScan } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'

interface StoredDay {
  _id: string
  date: string
  completed: number
}

/** Completed videos of the whole organisation by date, so that its history needs no watchers. */
export interface CompletionDays {
  add(date: string, count: number, session: ClientSession): Promise<void>
  /** Counts by date. */
  all(): Promise<Map<string, number>>
}

/** A date has this many counters, so that concurrent transactions rarely write the same one. */
const counters = 32

export function createCompletionDays(connection: Connection): CompletionDays {
  const schema = new Schema<StoredDay>(
    { _id: String, date: String, completed: Number },
    { versionKey: false, collection: 'completion_days' },
  )
  const stored = connection.model<StoredDay>('CompletionDay', schema)
  return {
    add: async (date, count, session) => {
      const _id = `${date}:${Math.floor(Math.random() * counters)}`
      await stored.updateOne({ _id }, { $inc: { completed: count }, $setOnInsert: { date } }, { upsert: true, session })
    },
    all: async () => {
      const rows = await stored.aggregate<{ _id: string; completed: number }>(
        [{ $group: { _id: '$date', completed: { $sum: '$completed' } } }],
        fullScan,
      )
      return new Map(rows.map(row => [row._id, row.completed]))
    },
  }
}
