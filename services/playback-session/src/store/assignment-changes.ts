import type { DueDate } from '@watchline/contracts/fields'
import { newId } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'

/** One change of one assignment's due date; null stands for none. */
export interface AssignmentChange {
  personId: string
  playlistId: string
  at: Date
  /** The person who made the change. */
  by: string
  before: DueDate | null
  after: DueDate | null
}

interface StoredChange {
  _id: string
  person_id: string
  playlist_id: string
  at: Date
  by: string
  before: { due: DueDate | null }
  after: { due: DueDate | null }
}

/** Changes of due dates with their authors and times. Entries are only added. */
export interface AssignmentChangeStore {
  add(changes: readonly AssignmentChange[], session: ClientSession): Promise<void>
}

export function createAssignmentChangeStore(connection: Connection): AssignmentChangeStore {
  const mixed = Schema.Types.Mixed
  const schema = new Schema<StoredChange>(
    { _id: String, person_id: String, playlist_id: String, at: Date, by: String, before: mixed, after: mixed },
    { versionKey: false, collection: 'assignment_changes' },
  )
  schema.index({ person_id: 1, at: 1 })
  const stored = connection.model<StoredChange>('AssignmentChange', schema)

  return {
    add: async (changes, session) => {
      const rows = changes.map(({ personId, playlistId, at, by, before, after }) => ({
        ...{ _id: newId(), person_id: personId, playlist_id: playlistId, at, by },
        ...{ before: { due: before }, after: { due: after } },
      }))
      if (rows.length > 0) await stored.insertMany(rows, { session })
    },
  }
}
