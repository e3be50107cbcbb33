import { type Connection, Schema } from 'mongoose'

interface StoredDate {
  _id: string
  /** The latest date whose digests are all stored, of people with one time zone. */
  date: string
}

/** null: of people without a time zone of their own. */
const idOf = (timeZone: string | null) => (timeZone === null ? 'digest' : `digest:${timeZone}`)

export type LatestDigestDate = ReturnType<typeof createLatestDigestDate>

/** The latest date whose digests are all stored, so that no replica stores them again. */
export function createLatestDigestDate(connection: Connection) {
  const stored = connection.model<StoredDate>(
    'LatestDigestDate',
    new Schema<StoredDate>({ _id: String, date: String }, { versionKey: false, collection: 'mail_schedules' }),
  )
  return {
    hasReached: async (timeZone: string | null, date: string): Promise<boolean> => {
      const row = await stored.findById(idOf(timeZone)).lean()
      return row !== null && row.date >= date
    },
    advanceTo: async (timeZone: string | null, date: string): Promise<void> => {
      await stored.updateOne({ _id: idOf(timeZone) }, { $max: { date } }, { upsert: true })
    },
  }
}
