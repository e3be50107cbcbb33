import { type ClientSession, type Connection, Schema } from 'mongoose'

interface StoredReminder {
  /** The reminded person. */
  _id: string
  playlist_id: string
  reminded_by: string
  reminded_at: Date
}

/** The last reminder of a person. */
export interface LastReminder {
  personId: string
  playlistId: string
  remindedBy: string
  remindedAt: Date
}

export interface ReminderStore {
  /** The times of the last reminders, by person. */
  findTimes(personIds: readonly string[], session?: ClientSession): Promise<Map<string, Date>>
  /** Forgets that a person was reminded. */
  remove(personId: string): Promise<void>
  /**
   * Replaces the last reminders. If two calls for the same person are concurrent, one fails with a
   * duplicate key or a write conflict.
   */
  replace(reminders: readonly LastReminder[], session: ClientSession): Promise<void>
}

export function createReminderStore(connection: Connection): ReminderStore {
  const schema = new Schema<StoredReminder>(
    { _id: String, playlist_id: String, reminded_by: String, reminded_at: Date },
    { versionKey: false, collection: 'reminders' },
  )
  const stored = connection.model<StoredReminder>('Reminder', schema)

  return {
    findTimes: async (personIds, session) => {
      const rows = await stored
        .find({ _id: { $in: [...personIds] } }, { reminded_at: 1 }, { session: session ?? null })
        .lean()
      return new Map(rows.map(row => [row._id, row.reminded_at]))
    },
    remove: async personId => {
      await stored.deleteOne({ _id: personId })
    },
    replace: async (reminders, session) => {
      const writes = reminders.map(({ personId, playlistId, remindedBy, remindedAt }) => ({
        replaceOne: {
          filter: { _id: personId },
          replacement: { playlist_id: playlistId, reminded_by: remindedBy, reminded_at: remindedAt },
          upsert: true,
        },
      }))
      if (writes.length > 0) await stored.bulkWrite(writes, { session })
    },
  }
}
