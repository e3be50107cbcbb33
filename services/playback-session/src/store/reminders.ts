import { type ClientSession, type Connection, Schema } from 'mongoose'
import { assignmentKey } from './stored-assignment.ts'

interface StoredTaskReminder {
  playlist_id: string
  reminded_by: string
  reminded_at: Date
}

/** The last reminder of a person. Earlier versions know only this one. */
interface StoredReminder extends StoredTaskReminder {
  /** The reminded person. */
  _id: string
  /** Those of other tasks on the same day. Absent without any, and in earlier versions. */
  earlier_today?: StoredTaskReminder[]
}

/** The last reminder of a person's task. */
export interface TaskReminder {
  personId: string
  playlistId: string
  remindedBy: string
  remindedAt: Date
}

export interface ReminderStore {
  /** The reminders of these people since a time, by `assignmentKey`. */
  findSince(since: Date, personIds: readonly string[], session?: ClientSession): Promise<Map<string, TaskReminder>>
  /** Forgets that a person was reminded. */
  remove(personId: string): Promise<void>
  /**
   * Adds reminders to those of the same people among `todaysReminders`, and forgets earlier ones.
   * If two calls for the same person are concurrent, one fails with a duplicate key or a
   * write conflict.
   */
  add(
    reminders: readonly TaskReminder[],
    todaysReminders: Iterable<TaskReminder>,
    session: ClientSession,
  ): Promise<void>
}

export function createReminderStore(connection: Connection): ReminderStore {
  const schema = new Schema<StoredReminder>(
    { _id: String, playlist_id: String, reminded_by: String, reminded_at: Date, earlier_today: Schema.Types.Mixed },
    { versionKey: false, collection: 'reminders' },
  )
  const stored = connection.model<StoredReminder>('Reminder', schema)

  return {
    findSince: async (since, personIds, session) => {
      const filter = { _id: { $in: [...personIds] }, reminded_at: { $gte: since } }
      const rows = await stored.find(filter, null, { session: session ?? null }).lean()
      const reminders = rows.flatMap(({ _id, earlier_today = [], ...last }) =>
        [...earlier_today, last]
          .filter(({ reminded_at }) => reminded_at >= since)
          .map(reminder => toTaskReminder(_id, reminder)),
      )
      return new Map(reminders.map(reminder => [assignmentKey(reminder.personId, reminder.playlistId), reminder]))
    },
    remove: async personId => {
      await stored.deleteOne({ _id: personId })
    },
    add: async (reminders, todaysReminders, session) => {
      if (reminders.length === 0) return
      const earlierOnes = Map.groupBy(todaysReminders, ({ personId }) => personId)
      const writes = [...Map.groupBy(reminders, ({ personId }) => personId)].map(([personId, added]) => {
        const rows = [...(earlierOnes.get(personId) ?? []), ...added].map(toRow)
        const earlier_today = rows.slice(0, -1)
        const replacement = { ...rows.at(-1)!, ...(earlier_today.length > 0 && { earlier_today }) }
        return { replaceOne: { filter: { _id: personId }, replacement, upsert: true } }
      })
      await stored.bulkWrite(writes, { session })
    },
  }
}

function toRow({ playlistId, remindedBy, remindedAt }: TaskReminder): StoredTaskReminder {
  return { playlist_id: playlistId, reminded_by: remindedBy, reminded_at: remindedAt }
}

function toTaskReminder(personId: string, row: StoredTaskReminder): TaskReminder {
  return { personId, playlistId: row.playlist_id, remindedBy: row.reminded_by, remindedAt: row.reminded_at }
}
