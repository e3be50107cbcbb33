import type { Day } from '@watchline/kit/core/calendar'
import { cutPage, timeCursor } from '@watchline/kit/http/paging'
import { pageById } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import { z } from 'zod'
import { type Assignment, type DueDate, findMostUrgent, findNextReminder } from '../rules/assignment.ts'
import { filterAfter, type Page, type PageRequest, pageOf } from './page.ts'

/** The end of a page of open assignments: by due date, or after those by the assignment's date. */
export const urgencyCursor = timeCursor.extend({ hasDueDate: z.boolean() })
export type UrgencyCursor = z.infer<typeof urgencyCursor>

interface UrgencyPage {
  items: Assignment[]
  next?: UrgencyCursor
  total: number
}

interface StoredAssignment {
  _id: string
  person_id: string
  playlist_id: string
  assigned_by: string
  assigned_date: Date
  status: 'assigned' | 'completed'
  completed_at: Date | null
  /** Absent in rows of earlier versions. */
  due_at?: Date | null
  due_local?: string | null
  due_time_zone?: string | null
  /** Absent while the due date is that of the assignment. */
  due_changed_at?: Date
  /** The next reminder of the due date; absent or null if there is none. */
  next_reminder_at?: Date | null
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
    assignment: Pick<Assignment, 'playlistId' | 'assignedBy' | 'assignedDate' | 'due'>,
    personIds: readonly string[],
    session: ClientSession,
  ): Promise<string[]>
  /** Returns the people who had the playlist. */
  remove(playlistId: string, personIds: readonly string[], session: ClientSession): Promise<string[]>
  /** Returns the people who had the playlist. */
  removeAll(playlistId: string, session: ClientSession): Promise<string[]>
  /** True if at least one of these people has the playlist. */
  hasAny(playlistId: string, personIds: readonly string[]): Promise<boolean>
  /**
   * Sets the due date of the people who have the playlist and have not completed it. Returns their
   * previous due dates by person, without people whose due date is the same already.
   */
  setDue(
    playlistId: string,
    personIds: readonly string[],
    change: { due: DueDate | null; at: Date },
    session: ClientSession,
  ): Promise<Map<string, DueDate | null>>
  /** Keys of open assignments whose next reminder has come, the earliest first. */
  findToRemind(now: Date, limit: number): Promise<string[]>
  /**
   * Schedules the next reminder of each of these assignments whose reminder is due, and returns
   * them. Two transactions conflict, so that only one claims a reminder.
   */
  claimDueReminders(keys: readonly string[], now: Date, session: ClientSession): Promise<Assignment[]>
  /** False if there is no such assignment or it is completed already. */
  complete(personId: string, playlistId: string, at: Date, session: ClientSession): Promise<boolean>
  byKeys(keys: readonly string[]): Promise<Map<string, Assignment>>
  /** Sorted by key. */
  afterKey(after: string, limit: number): Promise<Assignment[]>
  /** The assignments among which today's task is. */
  findTodaysCandidates(personId: string, day: Day): Promise<Assignment[]>
  /** Today's open task, by person: the most urgent one dated before the end of the day. */
  findMostUrgentOpen(personIds: readonly string[], day: Day): Promise<Map<string, Assignment>>
  /** A person's assignments, latest first, or completed ones in the order of their completion. */
  page(personId: string, request: PageRequest & { status?: 'completed' }): Promise<Page<Assignment>>
  /** A person's open assignments: those with a due date by it, then the others, latest first. */
  pageOpen(personId: string, request: { limit: number; after?: UrgencyCursor | undefined }): Promise<UrgencyPage>
  /** The assignments of a playlist by the id of the person, of all people or some. */
  pageOfPlaylist(
    playlistId: string,
    request: { limit: number; after?: string | undefined; personIds?: readonly string[] | undefined },
  ): Promise<{ items: Assignment[]; next?: string; total: number }>
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
      due_at: Date,
      due_local: String,
      due_time_zone: String,
      due_changed_at: Date,
      next_reminder_at: Date,
    },
    { versionKey: false, collection: 'assignments' },
  )
  schema.index({ person_id: 1, assigned_date: -1, _id: -1 })
  schema.index({ person_id: 1, status: 1, assigned_date: -1, _id: -1 })
  schema.index({ person_id: 1, status: 1, completed_at: -1, _id: -1 })
  schema.index({ person_id: 1, status: 1, due_at: 1, _id: 1 })
  schema.index(
    { next_reminder_at: 1 },
    { partialFilterExpression: { status: 'assigned', next_reminder_at: { $gt: new Date(0) } } },
  )
  schema.index({ playlist_id: 1, person_id: 1 })
  schema.index({ playlist_id: 1, assigned_date: -1 })
  const stored = connection.model<StoredAssignment>('Assignment', schema)

  async function findHolders(playlistId: string, personIds: readonly string[], session: ClientSession) {
    const keys = personIds.map(personId => assignmentKey(personId, playlistId))
    const rows = await stored.find({ _id: { $in: keys } }, { person_id: 1 }, { session }).lean()
    return new Set(rows.map(row => row.person_id))
  }

  return {
    add: async ({ playlistId, assignedBy, assignedDate, due }, personIds, session) => {
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
          ...storedDue(due, assignedDate),
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
    setDue: async (playlistId, personIds, { due, at }, session) => {
      const keys = personIds.map(personId => assignmentKey(personId, playlistId))
      const open = await stored.find({ _id: { $in: keys }, status: 'assigned' }, null, { session }).lean()
      const changed = open.map(toAssignment).filter(assignment => !isSameDue(assignment.due, due))
      await stored.updateMany(
        { _id: { $in: changed.map(({ personId }) => assignmentKey(personId, playlistId)) } },
        { $set: { ...storedDue(due, at), due_changed_at: at } },
        { session },
      )
      return new Map(changed.map(assignment => [assignment.personId, assignment.due]))
    },
    findToRemind: async (now, limit) => {
      const rows = await stored
        .find({ status: 'assigned', next_reminder_at: { $gt: new Date(0), $lte: now } }, { _id: 1 })
        .sort({ next_reminder_at: 1 })
        .limit(limit)
        .lean()
      return rows.map(({ _id }) => _id)
    },
    claimDueReminders: async (keys, now, session) => {
      const filter = {
        _id: { $in: [...keys] },
        status: 'assigned' as const,
        next_reminder_at: { $lte: now, $ne: null },
      }
      const rows = await stored.find(filter, null, { session }).lean()
      const schedules = rows.map(row => ({
        updateOne: {
          filter: { _id: row._id },
          update: { $set: { next_reminder_at: row.due_at ? findNextReminder(row.due_at, now) : null } },
        },
      }))
      if (schedules.length > 0) await stored.bulkWrite(schedules, { session })
      return rows.map(toAssignment)
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
      const open = { person_id: personId, status: 'assigned' as const, assigned_date: { $lt: new Date(day.end) } }
      const [due, latest, completed] = await Promise.all([
        stored
          .find({ ...open, due_at: anyDate })
          .sort({ due_at: 1, _id: 1 })
          .limit(1)
          .lean(),
        stored.find(open).sort({ assigned_date: -1, _id: -1 }).limit(1).lean(),
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
      return [...due, ...latest, ...completed].map(toAssignment)
    },
    findMostUrgentOpen: async (personIds, day) => {
      const open = { person_id: { $in: [...personIds] }, status: 'assigned', assigned_date: { $lt: new Date(day.end) } }
      // Each sort is the order of an index, so MongoDB reads one document for each person.
      const findFirst = (filter: Record<string, unknown>, order: Record<string, 1 | -1>) =>
        stored.aggregate<{ first: StoredAssignment }>([
          { $match: { ...open, ...filter } },
          { $sort: { person_id: 1, status: 1, ...order } },
          { $group: { _id: '$person_id', first: { $first: '$$ROOT' } } },
        ])
      const groups = await Promise.all([
        findFirst({ due_at: anyDate }, { due_at: 1, _id: 1 }),
        findFirst({}, { assigned_date: -1, _id: -1 }),
      ])
      const candidates = Map.groupBy(
        groups.flat().map(({ first }) => toAssignment(first)),
        ({ personId }) => personId,
      )
      return new Map([...candidates].map(([personId, assignments]) => [personId, findMostUrgent(assignments)!]))
    },
    page: async (personId, { limit, after, status }) => {
      const filter = { person_id: personId, ...(status && { status }) }
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
    pageOpen: async (personId, { limit, after }) => {
      const open = { person_id: personId, status: 'assigned' as const }
      const readDated = () =>
        stored
          .find({ ...open, ...filterDueAfter(after) })
          .sort({ due_at: 1, _id: 1 })
          .limit(limit + 1)
          .lean()
      const dated = after && !after.hasDueDate ? [] : await readDated()
      const readUndated = () =>
        stored
          .find({ ...open, due_at: null, ...filterAfter('assigned_date', after?.hasDueDate ? undefined : after) })
          .sort({ assigned_date: -1, _id: -1 })
          .limit(limit + 1 - dated.length)
          .lean()
      const undated = dated.length > limit ? [] : await readUndated()
      const total = await stored.countDocuments(open)
      return { ...cutPage([...dated, ...undated].map(toAssignment), limit, urgencyCursorOf), total }
    },
    pageOfPlaylist: async (playlistId, { limit, after, personIds }) => {
      const filter = { playlist_id: playlistId, ...(personIds && { person_id: { $in: [...personIds] } }) }
      const [rows, total] = await Promise.all([
        stored
          .find({ $and: [filter, after ? { person_id: { $gt: after } } : {}] })
          .sort({ person_id: 1 })
          .limit(limit + 1)
          .lean(),
        stored.countDocuments(filter),
      ])
      return { ...cutPage(rows.map(toAssignment), limit, ({ personId }) => personId), total }
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

/** Matches a date, but neither null nor a missing field. */
const anyDate = { $gt: new Date(0) }

function storedDue(due: DueDate | null, now: Date) {
  return {
    next_reminder_at: due && findNextReminder(due.at, now),
    due_at: due?.at ?? null,
    due_local: due?.local ?? null,
    due_time_zone: due?.timeZone ?? null,
  }
}

function isSameDue(a: DueDate | null, b: DueDate | null): boolean {
  return a?.local === b?.local && a?.timeZone === b?.timeZone && a?.at.getTime() === b?.at.getTime()
}

/** The filter of assignments with a due date after the cursor, for an index of (due_at, _id). */
function filterDueAfter(after: UrgencyCursor | undefined): Record<string, unknown> {
  if (!after) return { due_at: anyDate }
  const at = new Date(after.at)
  return { due_at: { $gte: at }, $or: [{ due_at: { $gt: at } }, { _id: { $gt: after.id } }] }
}

function urgencyCursorOf({ due, assignedDate, personId, playlistId }: Assignment): UrgencyCursor {
  return { at: (due?.at ?? assignedDate).getTime(), id: assignmentKey(personId, playlistId), hasDueDate: due !== null }
}

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
    due: row.due_at ? { at: row.due_at, local: row.due_local!, timeZone: row.due_time_zone! } : null,
    dueChangedAt: row.due_changed_at ?? row.assigned_date,
  }
}
