import { type Connection, Schema } from 'mongoose'

interface StoredDate {
  _id: string
  /** The latest date whose digests are all stored. */
  date: string
}

const onlyId = 'digest'

export type LatestDigestDate = ReturnType<typeof createLatestDigestDate>

/** The latest date whose digests are all stored, so that no replica stores them again. */
export function createLatestDigestDate(connection: Connection) {
  const stored = connection.model<StoredDate>(
    'LatestDigestDate',
    new Schema<StoredDate>({ _id: String, date: String }, { versionKey: false, collection: 'mail_schedules' }),
  )
  return {
    hasReached: async (date: string): Promise<boolean> => {
      const row = await stored.findById(onlyId).lean()
      return row !== null && row.date >= date
    },
    advanceTo: async (date: string): Promise<void> => {
      await stored.updateOne({ _id: onlyId }, { $max: { date } }, { upsert: true })
    },
  }
}
