import type { Day } from '@watchline/kit/core/calendar'
import { pageById } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import type { Assignment } from '../rules/assignment.ts'
import { filterAfter, type Page, type PageRequest, pageOf } from './page.ts'

interface StoredAssignment {
  _id: string
  person_id: string
  playlist_id: string
  assigned_by: string
  assigned_date: Date
  status: 'assigned' | 'completed'
  completed_at: Date | null
}

/**
 * The people a playlist is assigned to, limited to those the caller may see, and the latest date.
 */
export interface Assignees {
  personIds: string[]
  latest: Date | null
}

export interface AssignmentStore {
  /**
   * Assigns to the people who do not have the playlist and returns them. If two calls for the
   * same person are concurrent, one fails with a duplicate key.
   */
  add(
    assignment: { playlistId: string; assignedBy: string; assignedDate: Date },
    personIds: readonly string[],
    session: ClientSession,
  ): Promise<string[]>
  /** Returns the people who had the playlist. */
  remove(playlistId: string, personIds: readonly string[], session: ClientSession): Promise<string[]>
  /** Returns the people who had the playlist. */
  removeAll(playlistId: string, session: ClientSession): Promise<string[]>
  /** True if at least one of these people has the playlist. */
  hasAny(playlistId: string, personIds: readonly string[]): Promise<boolean>
  /** False if there is no such assignment or it is completed already. */
  complete(personId: string, playlistId: string, at: Date, session: ClientSession): Promise<boolean>
  byKeys(keys: readonly string[]): Promise<Map<string, Assignment>>
  /** Sorted by key. */
  afterKey(after: string, limit: number): Promise<Assignment[]>
  /** The assignments among which today's task is. */
  findTodaysCandidates(personId: string, day: Day): Promise<Assignment[]>
  /** The latest open assignment dated before the end of the day, by person. */
  findLatestOpen(personIds: readonly string[], day: Day): Promise<Map<string, Assignment>>
  /** A person's assignments, latest first; completed ones in the order of their completion. */
  page(personId: string, request: PageRequest & { status?: 'open' | 'completed' }): Promise<Page<Assignment>>
  countFor(personId: string): Promise<number>
  /** The assignees of each playlist: those of `personIds`, or the latest `limit` of all people. */
  findAssignees(
    playlistIds: readonly string[],
    scope: { personIds: readonly string[] } | { everybody: true; limit: number },
  ): Promise<Map<string, Assignees>>
}

export function assignmentKey(personId: string, playlistId: string): string {
  return `${personId}:${playlistId}`
}

export function createAssignmentStore(connection: Connection): AssignmentStore {
  const schema = new Schema<StoredAssignment>(
    {
      _id: String,
      person_id: String,
      playlist_id: String,
      assigned_by: String,
      assigned_date: Date,
      status: String,
      completed_at: Date,
    },
    { versionKey: false, collection: 'assignments' },
  )
  schema.index({ person_id: 1, assigned_date: -1, _id: -1 })
  schema.index({ person_id: 1, status: 1, assigned_date: -1, _id: -1 })
  schema.index({ person_id: 1, status: 1, completed_at: -1, _id: -1 })
  schema.index({ playlist_id: 1, person_id: 1 })
  schema.index({ playlist_id: 1, assigned_date: -1 })
  const stored = connection.model<StoredAssignment>('Assignment', schema)

  async function findHolders(playlistId: string, personIds: readonly string[], session: ClientSession) {
    const keys = personIds.map(personId => assignmentKey(personId, playlistId))
    const rows = await stored.find({ _id: { $in: keys } }, { person_id: 1 }, { session }).lean()
    return new Set(rows.map(row => row.person_id))
  }

  return {
    add: async ({ playlistId, assignedBy, assignedDate }, personIds, session) => {
      const holders = await findHolders(playlistId, personIds, session)
      const added = personIds.filter(personId => !holders.has(personId))
      await stored.insertMany(
        added.map(personId => ({
          _id: assignmentKey(personId, playlistId),
          person_id: personId,
          playlist_id: playlistId,
          assigned_by: assignedBy,
          assigned_date: assignedDate,
          status: 'assigned' as const,
          completed_at: null,
        })),
        { session },
      )
      return added
    },
    remove: async (playlistId, personIds, session) => {
      const holderIds = [...(await findHolders(playlistId, personIds, session))]
      await stored.deleteMany(
        { _id: { $in: holderIds.map(personId => assignmentKey(personId, playlistId)) } },
        { session },
      )
      return holderIds
    },
    removeAll: async (playlistId, session) => {
      const rows = await stored.find({ playlist_id: playlistId }, { _id: 0, person_id: 1 }, { session }).lean()
      await stored.deleteMany({ playlist_id: playlistId }, { session })
      return rows.map(row => row.person_id)
    },
    hasAny: async (playlistId, personIds) => {
      const keys = personIds.map(personId => assignmentKey(personId, playlistId))
      return (await stored.exists({ _id: { $in: keys } })) !== null
    },
    complete: async (personId, playlistId, at, session) => {
      const { modifiedCount } = await stored.updateOne(
        { _id: assignmentKey(personId, playlistId), status: 'assigned' },
        { $set: { status: 'completed', completed_at: at } },
        { session },
      )
      return modifiedCount === 1
    },
    byKeys: async keys => {
      const rows = await stored.find({ _id: { $in: [...keys] } }).lean()
      return new Map(rows.map(row => [row._id, toAssignment(row)]))
    },
    afterKey: async (after, limit) => (await pageById(stored, { after, limit })).map(toAssignment),
    findTodaysCandidates: async (personId, day) => {
      const [open, completed] = await Promise.all([
        stored
          .find({ person_id: personId, status: 'assigned', assigned_date: { $lt: new Date(day.end) } })
          .sort({ assigned_date: -1, _id: -1 })
          .limit(1)
          .lean(),
        stored
          .find({
            person_id: personId,
            status: 'completed',
            completed_at: { $gte: new Date(day.start), $lt: new Date(day.end) },
          })
          .sort({ completed_at: -1, _id: -1 })
          .limit(1)
          .lean(),
      ])
      return [...open, ...completed].map(toAssignment)
    },
    findLatestOpen: async (personIds, day) => {
      // The sort is the order of an index, so MongoDB reads one document for each person.
      const groups = await stored.aggregate<{ latest: StoredAssignment }>([
        {
          $match: {
            person_id: { $in: [...personIds] },
            status: 'assigned',
            assigned_date: { $lt: new Date(day.end) },
          },
        },
        { $sort: { person_id: 1, status: 1, assigned_date: -1, _id: -1 } },
        { $group: { _id: '$person_id', latest: { $first: '$$ROOT' } } },
      ])
      return new Map(groups.map(({ latest }) => [latest.person_id, toAssignment(latest)]))
    },
    page: async (personId, { limit, after, status }) => {
      const filter = { person_id: personId, ...(status && { status: storedStatuses[status] }) }
      const dateField = status === 'completed' ? 'completed_at' : 'assigned_date'
      const [rows, total] = await Promise.all([
        stored
          .find({ ...filter, ...filterAfter(dateField, after) })
          .sort({ [dateField]: -1, _id: -1 })
          .limit(limit + 1)
          .lean(),
        stored.countDocuments(filter),
      ])
      return pageOf(rows.map(toAssignment), limit, total, assignment => ({
        at: (status === 'completed' && assignment.completedAt
          ? assignment.completedAt
          : assignment.assignedDate
        ).getTime(),
        id: assignmentKey(assignment.personId, assignment.playlistId),
      }))
    },
    countFor: personId => stored.countDocuments({ person_id: personId }),
    findAssignees: async (playlistIds, scope) => {
      const rows =
        'everybody' in scope
          ? await findLatest(connection, playlistIds, scope.limit)
          : await stored
              .find(
                { playlist_id: { $in: [...playlistIds] }, person_id: { $in: [...scope.personIds] } },
                { playlist_id: 1, person_id: 1, assigned_date: 1 },
              )
              .sort({ assigned_date: -1, _id: -1 })
              .lean()
      const assignees = new Map<string, Assignees>()
      for (const { playlist_id, person_id, assigned_date } of rows) {
        const ofPlaylist = assignees.get(playlist_id)
        if (ofPlaylist) ofPlaylist.personIds.push(person_id)
        else assignees.set(playlist_id, { personIds: [person_id], latest: assigned_date })
      }
      return assignees
    },
  }
}

const storedStatuses = { open: 'assigned', completed: 'completed' } as const

type AssigneeRow = Pick<StoredAssignment, 'playlist_id' | 'person_id' | 'assigned_date'>

/**
 * Reads the latest assignees of all playlists in one command, with a bounded index scan for each
 * playlist.
 */
async function findLatest(
  connection: Connection,
  playlistIds: readonly string[],
  limit: number,
): Promise<AssigneeRow[]> {
  const playlists = await connection
    .collection<{ _id: string }>('playlists')
    .aggregate<{ latest: AssigneeRow[] }>([
      { $match: { _id: { $in: [...playlistIds] } } },
      {
        $lookup: {
          from: 'assignments',
          localField: '_id',
          foreignField: 'playlist_id',
          pipeline: [
            { $sort: { assigned_date: -1 } },
            { $limit: limit },
            { $project: { _id: 0, playlist_id: 1, person_id: 1, assigned_date: 1 } },
          ],
          as: 'latest',
        },
      },
      { $project: { latest: 1 } },
    ])
    .toArray()
  return playlists.flatMap(playlist => playlist.latest)
}

function toAssignment(row: StoredAssignment): Assignment {
  return {
    personId: row.person_id,
    playlistId: row.playlist_id,
    assignedBy: row.assigned_by,
    assignedDate: row.assigned_date,
    status: row.status,
    completedAt: row.completed_at ?? null,
  }
}
