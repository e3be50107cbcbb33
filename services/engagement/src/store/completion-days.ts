import { fullScan } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'

interface StoredDay {
  _id: string
  date: string
  completed: number
}

/** How many videos were completed on each date, by everyone: the whole organisation's history without reading everybody. */
export interface CompletionDays {
  add(date: string, count: number, session: ClientSession): Promise<void>
  /** By date, all that there are. */
  all(): Promise<Map<string, number>>
}

/** A date is counted in as many places, so that completions at the same moment seldom meet. */
const places = 32

export function createCompletionDays(connection: Connection): CompletionDays {
  const schema = new Schema<StoredDay>(
    { _id: String, date: String, completed: Number },
    { versionKey: false, collection: 'completion_days' },
  )
  const stored = connection.model<StoredDay>('CompletionDay', schema)
  return {
    add: async (date, count, session) => {
      const _id = `${date}:${Math.floor(Math.random() * places)}`
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
