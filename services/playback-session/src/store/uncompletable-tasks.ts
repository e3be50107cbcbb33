import { pageById } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import type { UncompletableReason } from '../rules/uncompletable.ts'
import { assignmentKey } from './stored-assignment.ts'

interface StoredTask {
  /** The key of the assignment. */
  _id: string
  person_id: string
  playlist_id: string
  reason: UncompletableReason
}

/** A task that was reported as uncompletable. */
export interface UncompletableTask {
  personId: string
  playlistId: string
  reason: UncompletableReason
}

export interface UncompletableTaskStore {
  /** Those of these tasks that are not stored with this reason. */
  findNew<T extends UncompletableTask>(tasks: readonly T[], session: ClientSession): Promise<T[]>
  /** Concurrent calls for one task conflict. */
  put(tasks: readonly UncompletableTask[], session: ClientSession): Promise<void>
  /** Sorted by {@link assignmentKey}. */
  afterKey(after: string, limit: number): Promise<UncompletableTask[]>
  remove(tasks: readonly Pick<UncompletableTask, 'personId' | 'playlistId'>[]): Promise<void>
  removeOf(personId: string): Promise<void>
}

/** Matches the tasks of a person by their keys. */
export function filterOwnTasks(personId: string) {
  return { _id: { $gt: assignmentKey(personId, ''), $lt: `${personId};` } }
}

export function createUncompletableTaskStore(connection: Connection): UncompletableTaskStore {
  const schema = new Schema<StoredTask>(
    { _id: String, person_id: String, playlist_id: String, reason: String },
    { versionKey: false, collection: 'uncompletable_tasks' },
  )
  const stored = connection.model<StoredTask>('UncompletableTask', schema)
  const keyOf = ({ personId, playlistId }: Pick<UncompletableTask, 'personId' | 'playlistId'>) =>
    assignmentKey(personId, playlistId)

  return {
    findNew: async (tasks, session) => {
      const rows = await stored.find({ _id: { $in: tasks.map(keyOf) } }, null, { session }).lean()
      const known = new Map(rows.map(row => [row._id, row.reason]))
      return tasks.filter(task => known.get(keyOf(task)) !== task.reason)
    },
    put: async (tasks, session) => {
      const writes = tasks.map(task => ({
        replaceOne: {
          filter: { _id: keyOf(task) },
          replacement: { person_id: task.personId, playlist_id: task.playlistId, reason: task.reason },
          upsert: true,
        },
      }))
      if (writes.length > 0) await stored.bulkWrite(writes, { session })
    },
    afterKey: async (after, limit) =>
      (await pageById(stored, { after, limit })).map(({ person_id, playlist_id, reason }) => ({
        ...{ personId: person_id, playlistId: playlist_id, reason },
      })),
    remove: async tasks => {
      await stored.deleteMany({ _id: { $in: tasks.map(keyOf) } })
    },
    removeOf: async personId => {
      await stored.deleteMany(filterOwnTasks(personId))
    },
  }
}
