import { pageById } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'

/** Whether a person has a playlist, and since when that is so. */
export interface Assignment {
  personId: string
  playlistId: string
  assigned: boolean
  at: Date
}

interface StoredAssignment {
  _id: string
  person_id: string
  playlist_id: string
  assigned: boolean
  at: Date
}

/** What a rebuild sees of an assignment. */
export interface KeptAssignment {
  id: string
  gone: boolean
  row: Assignment
}

/** The projection of assignments. What was taken away is remembered, so that older news cannot bring it back. */
export interface AssignmentStore {
  /** Each unless something newer is known. */
  put(assignments: readonly Assignment[], session?: ClientSession): Promise<void>
  /** Takes the playlist from everybody. */
  dropAll(playlistId: string, at: Date, session: ClientSession): Promise<void>
  /** Who has the playlist. */
  peopleOf(playlistId: string): Promise<string[]>
  byKeys(keys: readonly string[]): Promise<Map<string, Assignment>>
  /** The playlists a person has, latest first. */
  playlistsOf(personId: string, limit: number): Promise<string[]>
  /** The playlists each of these people has, latest first. */
  playlistsOfMany(personIds: readonly string[]): Promise<Map<string, string[]>>
  /** Whether anyone of these people has the playlist. */
  hasAny(playlistId: string, personIds: readonly string[]): Promise<boolean>
  /** In the order of keys. */
  kept(after: string, upTo: string | undefined, limit: number): Promise<KeptAssignment[]>
  /** In the place of what was seen, newer or not, unless that has changed since. */
  replace(assignment: Assignment, seen: KeptAssignment): Promise<void>
  /** Takes it away as of when it was given, so that any news is newer; unless it has changed since it was seen. */
  drop(seen: KeptAssignment): Promise<void>
  /** How many people have each playlist. */
  counts(): Promise<{ playlistId: string; people: number }[]>
}

export function assignmentKey(personId: string, playlistId: string): string {
  return `${personId}:${playlistId}`
}

export function createAssignmentStore(connection: Connection): AssignmentStore {
  const schema = new Schema<StoredAssignment>(
    { _id: String, person_id: String, playlist_id: String, assigned: Boolean, at: Date },
    { versionKey: false, collection: 'assignments' },
  )
  schema.index({ person_id: 1, assigned: 1, at: -1, playlist_id: 1 })
  schema.index({ playlist_id: 1, assigned: 1, person_id: 1 })
  const stored = connection.model<StoredAssignment>('ProjectedAssignment', schema)

  return {
    put: async (assignments, session) => {
      if (assignments.length === 0) return
      await stored.collection.bulkWrite(
        assignments.map(({ personId, playlistId, assigned, at }) => {
          const _id = assignmentKey(personId, playlistId)
          const row = { _id, person_id: personId, playlist_id: playlistId, assigned, at }
          const update = [{ $replaceWith: { $cond: [{ $gt: ['$at', at] }, '$$ROOT', { $literal: row }] } }]
          return { updateOne: { filter: { _id: _id as never }, update, upsert: true } }
        }),
        { ordered: false, ...(session && { session }) },
      )
    },
    dropAll: async (playlistId, at, session) => {
      await stored.updateMany(
        { playlist_id: playlistId, assigned: true },
        { $set: { assigned: false, at } },
        { session },
      )
    },
    peopleOf: async playlistId => {
      const rows = await stored.find({ playlist_id: playlistId, assigned: true }, { _id: 0, person_id: 1 }).lean()
      return rows.map(row => row.person_id)
    },
    byKeys: async keys => {
      const rows = await stored.find({ _id: { $in: [...keys] } }).lean()
      return new Map(rows.map(row => [row._id, present(row)]))
    },
    playlistsOf: async (personId, limit) => {
      const rows = await stored
        .find({ person_id: personId, assigned: true }, { playlist_id: 1 })
        .sort({ at: -1, playlist_id: 1 })
        .limit(limit)
        .lean()
      return rows.map(row => row.playlist_id)
    },
    playlistsOfMany: async personIds => {
      const rows = await stored
        .find({ person_id: { $in: [...personIds] }, assigned: true }, { _id: 0, person_id: 1, playlist_id: 1, at: 1 })
        .sort({ at: -1, playlist_id: 1 })
        .lean()
      const found = new Map<string, string[]>()
      for (const { person_id, playlist_id } of rows) {
        const own = found.get(person_id)
        if (own) own.push(playlist_id)
        else found.set(person_id, [playlist_id])
      }
      return found
    },
    hasAny: async (playlistId, personIds) => {
      const row = await stored.exists({ playlist_id: playlistId, assigned: true, person_id: { $in: [...personIds] } })
      return row !== null
    },
    kept: async (after, upTo, limit) => {
      const rows = await pageById(stored, { after, upTo, limit })
      return rows.map(row => ({ id: row._id, gone: !row.assigned, row: present(row) }))
    },
    replace: async ({ personId, playlistId, assigned, at }, seen) => {
      const fields = { person_id: personId, playlist_id: playlistId, assigned, at }
      await stored.updateOne(asSeen(seen), { $set: fields })
    },
    drop: async seen => {
      await stored.updateOne(asSeen(seen), { $set: { assigned: false } })
    },
    counts: async () => {
      const rows = await stored.aggregate<{ _id: string; people: number }>([
        // Named, so that the index answers it alone.
        { $match: { playlist_id: { $gt: '' }, assigned: true } },
        { $group: { _id: '$playlist_id', people: { $sum: 1 } } },
      ])
      return rows.map(({ _id, people }) => ({ playlistId: _id, people }))
    },
  }
}

function asSeen({ id, row }: KeptAssignment) {
  return { _id: id, assigned: row.assigned, at: row.at ?? null }
}

function present(row: StoredAssignment): Assignment {
  return { personId: row.person_id, playlistId: row.playlist_id, assigned: row.assigned, at: row.at }
}
