import type { Conditions } from '@watchline/contracts/conditions'
import { type OverrideAction, overrideKinds } from '@watchline/contracts/fields'
import type { Recurrence } from '@watchline/contracts/recurrence'
import type { Day } from '@watchline/kit/core/calendar'
import { cutPage, timeCursor } from '@watchline/kit/http/paging'
import { isText } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import { z } from 'zod'
import {
  type Assignment,
  changeTerms,
  type DueDate,
  type DueSteps,
  findDueSteps,
  findMostUrgent,
  findNextReminder,
  isChangedBy,
  isSameDue,
  isSameTerms,
  type Override,
  type ReminderDays,
  type Terms,
  type TermsInput,
  termsOf,
} from '../rules/assignment.ts'
import { assignByHand, type TaskOrigin, unassignByHand } from '../rules/task-origin.ts'
import { dueTimesOf, findGraceUntil, nextOccurrenceOf } from './next-occurrence.ts'
import { filterAfter, type Page, type PageRequest, pageOf } from './page.ts'

/** The end of a page of open assignments: by due date, or after those by the assignment's date. */
export const urgencyCursor = timeCursor.extend({ hasDueDate: z.boolean() })
export type UrgencyCursor = z.infer<typeof urgencyCursor>

interface UrgencyPage {
  items: Assignment[]
  next?: UrgencyCursor
  total: number
}

export interface StoredAssignment {
  _id: string
  person_id: string
  playlist_id: string
  assigned_by: string
  assigned_date: Date
  /** Absent without a note, and in rows of earlier versions. */
  note?: string
  status: Assignment['status']
  /** The time at which the task was closed, by its completion or by an override. */
  completed_at: Date | null
  /** Absent in rows of earlier versions. */
  due_at?: Date | null
  due_local?: string | null
  due_time_zone?: string | null
  /** Absent while the due date is that of the assignment. */
  due_changed_at?: Date
  /** The next reminder or escalation of the due date; absent or null if there is none. */
  next_reminder_at?: Date | null
  /** All three are absent in rows of earlier versions. */
  override?: Override | null
  override_changed_at?: Date
  reset_at?: Date
  /** False if the person has the task by groups only. Absent means true. */
  by_hand?: boolean
  /** The groups by which the person has the task. Absent means none. */
  group_ids?: string[]
  /** False if the terms are those of the first group. Absent means true. */
  own_terms?: boolean
  /** Identifies the due date of the first group, of which this one is an occurrence. */
  group_due?: string | null
  /** Absent or null for the default conditions. */
  conditions?: Conditions | null
  /** Both are absent or null of tasks that do not repeat. */
  recurrence?: Recurrence | null
  /** The time at which the next occurrence opens; null while it is not known. */
  next_occurrence_at?: Date | null
}

/** The terms of one assignment before and after a change. */
export interface TermsChange {
  personId: string
  before: Terms
  after: Terms
}

/** An open assignment, and what has come of its due date. */
export interface DueReminder {
  assignment: Assignment
  steps: DueSteps
}

/** An assignment as it was, the due date with which it opens again, and when it was to open. */
export interface Reopening {
  assignment: Assignment
  due: DueDate
  opensAt: Date
}

/** The people a playlist is assigned to, latest first, and the latest date. */
export interface Assignees {
  personIds: string[]
  latest: Date | null
}

/** How many people have a playlist, and the latest of them. */
export interface AssigneeSummary extends Assignees {
  count: number
}

/** A summary lists at most this many people, so that memory holds those of many playlists. */
const summarisedAssignees = 100

export interface AssignmentStore {
  /**
   * Assigns by hand, and returns the people who did not have the playlist. If two calls for the
   * same person are concurrent, one fails with a duplicate key.
   */
  add(
    assignment: Pick<Assignment, 'playlistId' | 'assignedBy' | 'assignedDate' | 'note' | keyof Terms>,
    personIds: readonly string[],
    session: ClientSession,
  ): Promise<string[]>
  /** Unassigns by hand. People who have the playlist by a group keep it. */
  remove(
    playlistId: string,
    personIds: readonly string[],
    session: ClientSession,
  ): Promise<{ removed: string[]; kept: Assignment[] }>
  /** Removes at most so many assignments of a playlist, and returns how many. */
  removeBatch(playlistId: string, limit: number): Promise<number>
  /** True if at least one of these people has the playlist. */
  hasAny(playlistId: string, personIds: readonly string[]): Promise<boolean>
  /**
   * Sets the due date and the conditions of the people who have the playlist and have not completed
   * it, and the recurrence of all of them. Returns the changes, without people whose terms are the
   * same already.
   */
  setDue(
    playlistId: string,
    personIds: readonly string[],
    change: TermsInput & { at: Date },
    session: ClientSession,
  ): Promise<TermsChange[]>
  /**
   * Applies the action to those of these people whose assignment it changes, and returns these as
   * they were.
   */
  override(
    playlistId: string,
    personIds: readonly string[],
    change: { action: OverrideAction; by: string; at: Date; reason: string },
    session: ClientSession,
  ): Promise<Assignment[]>
  /** Removes the notes to and by a person, and the reasons of their overrides. */
  eraseWords(personId: string): Promise<void>
  /** Keys of open assignments whose next reminder or escalation has come, the earliest first. */
  findToRemind(now: Date, limit: number): Promise<string[]>
  /**
   * Schedules the next reminder or escalation of each of these assignments for which one is due,
   * and returns them with what is due. Two transactions conflict, so that only one claims it.
   */
  claimDueReminders(keys: readonly string[], now: Date, session: ClientSession): Promise<DueReminder[]>
  /** Assignments whose next occurrence is to open, the earliest first, except of some playlists. */
  findToReopen(
    now: Date,
    limit: number,
    exceptPlaylistIds: readonly string[],
  ): Promise<{ key: string; playlistId: string }[]>
  /** Those of these assignments whose next occurrence is still to open. */
  readToReopen(keys: readonly string[], now: Date, session: ClientSession): Promise<Assignment[]>
  /**
   * Opens the next occurrence, from zero and without an override. Two transactions that read and
   * reopen the same assignment conflict, so that only one opens an occurrence.
   */
  reopen(reopenings: readonly Reopening[], at: Date, session: ClientSession): Promise<void>
  /** Looks again at that time whether to open the next occurrence, or never. */
  postponeReopening(keys: readonly string[], until: Date | null, session: ClientSession): Promise<void>
  /**
   * False if there is no such assignment, it is completed already, or it was reset after `resetAt`:
   * then the completion is of an earlier attempt.
   */
  complete(
    key: { personId: string; playlistId: string },
    completion: { at: Date; resetAt: Date | null },
    session: ClientSession,
  ): Promise<boolean>
  byKeys(keys: readonly string[]): Promise<Map<string, Assignment>>
  /** Sorted by key, except of some playlists. */
  afterKey(after: string, limit: number, exceptPlaylistIds?: readonly string[]): Promise<Assignment[]>
  /** The assignments among which today's task is, except of some playlists. */
  findTodaysCandidates(personId: string, day: Day, exceptPlaylistIds: readonly string[]): Promise<Assignment[]>
  /**
   * Today's open task, by person: the most urgent one dated before the end of the day, except of
   * some playlists.
   */
  findMostUrgentOpen(
    personIds: readonly string[],
    day: Day,
    exceptPlaylistIds: readonly string[],
  ): Promise<Map<string, Assignment>>
  /** A person's assignments, latest first, or closed ones, the one that was closed last first. */
  page(personId: string, request: PageRequest & { status?: 'closed' }): Promise<Page<Assignment>>
  /** A person's open assignments: those with a due date by it, then the others, latest first. */
  pageOpen(personId: string, request: { limit: number; after?: UrgencyCursor | undefined }): Promise<UrgencyPage>
  /** The assignments of a playlist by the id of the person, of all people or some. */
  pageOfPlaylist(
    playlistId: string,
    request: { limit: number; after?: string | undefined; personIds?: readonly string[] | undefined },
  ): Promise<{ items: Assignment[]; next?: string; total: number }>
  countFor(personId: string): Promise<number>
  /** The assignees of each playlist among all people. Playlists that nobody has are absent. */
  summariseAssignees(playlistIds: readonly string[]): Promise<Map<string, AssigneeSummary>>
  /** The assignees of each playlist: those of `personIds`, or the latest `limit` of all people. */
  findAssignees(
    playlistIds: readonly string[],
    scope: { personIds: readonly string[] } | { everybody: true; limit: number },
  ): Promise<Map<string, Assignees>>
}

export function assignmentKey(personId: string, playlistId: string): string {
  return `${personId}:${playlistId}`
}

/** The playlist of an {@link assignmentKey}. */
export function playlistOfKey(key: string): string {
  return key.slice(key.indexOf(':') + 1)
}

export function createAssignmentStore(connection: Connection, reminderDays: ReminderDays): AssignmentStore {
  const schema = new Schema<StoredAssignment>(
    {
      _id: String,
      person_id: String,
      playlist_id: String,
      assigned_by: String,
      assigned_date: Date,
      note: String,
      status: String,
      completed_at: Date,
      due_at: Date,
      due_local: String,
      due_time_zone: String,
      due_changed_at: Date,
      next_reminder_at: Date,
      override: Schema.Types.Mixed,
      override_changed_at: Date,
      reset_at: Date,
      by_hand: Boolean,
      group_ids: { type: [String], default: undefined },
      own_terms: Boolean,
      group_due: String,
      conditions: Schema.Types.Mixed,
      recurrence: Schema.Types.Mixed,
      next_occurrence_at: Date,
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
  // For `findToReopen`. Few tasks repeat.
  schema.index({ next_occurrence_at: 1 }, { partialFilterExpression: { next_occurrence_at: { $gt: new Date(0) } } })
  schema.index({ playlist_id: 1, person_id: 1 })
  schema.index({ playlist_id: 1, assigned_date: -1 })
  // For `eraseWords`. Few tasks have a note.
  schema.index({ assigned_by: 1 }, { partialFilterExpression: { note: isText }, name: 'notes_by_author' })
  const stored = connection.model<StoredAssignment>('Assignment', schema)

  async function findOrigins(playlistId: string, personIds: readonly string[], session: ClientSession) {
    const keys = personIds.map(personId => assignmentKey(personId, playlistId))
    const fields = { person_id: 1, by_hand: 1, group_ids: 1, own_terms: 1, group_due: 1 }
    const rows = await stored.find({ _id: { $in: keys } }, fields, { session }).lean()
    return new Map(rows.map(row => [row.person_id, toOrigin(row)]))
  }

  return {
    add: async ({ playlistId, assignedBy, assignedDate, note, due, recurrence, conditions }, personIds, session) => {
      const origins = await findOrigins(playlistId, personIds, session)
      const added = personIds.filter(personId => !origins.has(personId))
      await stored.insertMany(
        added.map(personId => ({
          _id: assignmentKey(personId, playlistId),
          person_id: personId,
          playlist_id: playlistId,
          assigned_by: assignedBy,
          assigned_date: assignedDate,
          ...(note && { note }),
          status: 'assigned' as const,
          completed_at: null,
          ...storedDue({ due, conditions }, assignedDate, reminderDays),
          ...(recurrence && storedRecurrence({ due, recurrence, closedAt: null })),
          ...(conditions && { conditions }),
          ...storedOrigin(assignByHand(undefined)),
        })),
        { session },
      )
      const writes = [...origins].flatMap(([personId, origin]) => {
        const after = assignByHand(origin)
        if (after.byHand === origin.byHand) return []
        return [
          {
            updateOne: { filter: { _id: assignmentKey(personId, playlistId) }, update: { $set: storedOrigin(after) } },
          },
        ]
      })
      if (writes.length > 0) await stored.bulkWrite(writes, { session })
      return added
    },
    remove: async (playlistId, personIds, session) => {
      const keys = personIds.map(personId => assignmentKey(personId, playlistId))
      const found = (await stored.find({ _id: { $in: keys } }, null, { session }).lean()).map(toAssignment)
      const kept = found.filter(({ origin }) => unassignByHand(origin))
      const removed = found.filter(({ origin }) => !unassignByHand(origin)).map(({ personId }) => personId)
      const keysOf = (ids: readonly string[]) => ids.map(personId => assignmentKey(personId, playlistId))
      await stored.deleteMany({ _id: { $in: keysOf(removed) } }, { session })
      const loseHand = kept.filter(({ origin }) => origin.byHand).map(({ personId }) => personId)
      if (loseHand.length > 0)
        await stored.updateMany(
          { _id: { $in: keysOf(loseHand) } },
          // The note was to the task by hand.
          { $set: { by_hand: false, own_terms: false }, $unset: { note: 1 } },
          { session },
        )
      return { removed, kept }
    },
    removeBatch: async (playlistId, limit) => {
      const rows = await stored.find({ playlist_id: playlistId }, { _id: 1 }).limit(limit).lean()
      await stored.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } })
      return rows.length
    },
    hasAny: async (playlistId, personIds) => {
      const keys = personIds.map(personId => assignmentKey(personId, playlistId))
      return (await stored.exists({ _id: { $in: keys } })) !== null
    },
    setDue: async (playlistId, personIds, { at, ...input }, session) => {
      const keys = personIds.map(personId => assignmentKey(personId, playlistId))
      const rows = await stored.find({ _id: { $in: keys } }, null, { session }).lean()
      const changes = rows.map(toAssignment).flatMap(assignment => {
        const after = changeTerms(assignment, input)
        return isSameTerms(assignment, after) ? [] : [{ assignment, after }]
      })
      const writes = changes.map(({ assignment, after }) => ({
        updateOne: {
          filter: { _id: assignmentKey(assignment.personId, playlistId) },
          update: {
            $set: { ...storedTermsChange(assignment, after, at, reminderDays), own_terms: true, group_due: null },
          },
        },
      }))
      if (writes.length > 0) await stored.bulkWrite(writes, { session })
      return changes.map(({ assignment, after }) => ({
        personId: assignment.personId,
        before: termsOf(assignment),
        after,
      }))
    },
    override: async (playlistId, personIds, { action, by, at, reason }, session) => {
      const keys = personIds.map(personId => assignmentKey(personId, playlistId))
      const found = (await stored.find({ _id: { $in: keys } }, null, { session }).lean()).map(toAssignment)
      const changed = found.filter(assignment => isChangedBy(assignment, action))
      const update = (assignment: Assignment) => {
        if (action === 'exempt' || action === 'mark_done') {
          const kind = overrideKinds[action]
          return {
            ...{ status: kind, completed_at: at, override: { kind, by, at, reason }, override_changed_at: at },
            ...storedRecurrence({ ...assignment, closedAt: at }),
          }
        }
        const withoutOverride = { override: null, override_changed_at: at }
        if (action === 'take_back' && assignment.status === 'completed') return withoutOverride
        // Reminders whose time came meanwhile are left out.
        const reopened = {
          ...withoutOverride,
          status: 'assigned' as const,
          completed_at: null,
          ...storedDue(assignment, at, reminderDays),
          ...storedRecurrence({ ...assignment, closedAt: null }),
        }
        return action === 'reset' ? { ...reopened, reset_at: at } : reopened
      }
      const writes = changed.map(assignment => ({
        updateOne: {
          filter: { _id: assignmentKey(assignment.personId, playlistId) },
          update: { $set: update(assignment) },
        },
      }))
      if (writes.length > 0) await stored.bulkWrite(writes, { session })
      return changed
    },
    eraseWords: async personId => {
      for (const whose of [{ person_id: personId }, { assigned_by: personId }])
        await stored.updateMany({ ...whose, note: isText }, { $unset: { note: 1 } })
      await stored.updateMany(
        { person_id: personId, 'override.reason': { $exists: true } },
        { $set: { 'override.reason': '' } },
      )
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
      const planned = rows.map(row => {
        const assignment = toAssignment(row)
        const times = assignment.due && dueTimesOf(assignment.due, assignment.conditions)
        return { assignment, times, plannedAt: row.next_reminder_at! }
      })
      const schedules = planned.map(({ assignment, times }) => ({
        updateOne: {
          filter: { _id: assignmentKey(assignment.personId, assignment.playlistId) },
          update: { $set: { next_reminder_at: times && findNextReminder(times, now, reminderDays) } },
        },
      }))
      if (schedules.length > 0) await stored.bulkWrite(schedules, { session })
      return planned.map(({ assignment, times, plannedAt }) => ({
        assignment,
        steps: times
          ? findDueSteps(times, { plannedAt, now }, reminderDays)
          : { isReminded: false, isEscalated: false },
      }))
    },
    findToReopen: async (now, limit, exceptPlaylistIds) => {
      const isDue = { next_occurrence_at: { $gt: new Date(0), $lte: now } }
      const filter = exceptPlaylistIds.length > 0 ? { ...isDue, playlist_id: { $nin: [...exceptPlaylistIds] } } : isDue
      const rows = await stored
        .find(filter, { _id: 1, playlist_id: 1 })
        .sort({ next_occurrence_at: 1 })
        .limit(limit)
        .lean()
      return rows.map(row => ({ key: row._id, playlistId: row.playlist_id }))
    },
    readToReopen: async (keys, now, session) => {
      const filter = { _id: { $in: [...keys] }, next_occurrence_at: { $lte: now, $ne: null } }
      return (await stored.find(filter, null, { session }).lean()).map(toAssignment)
    },
    reopen: async (reopenings, at, session) => {
      const writes = reopenings.map(
        ({ assignment: { personId, playlistId, recurrence, conditions }, due, opensAt }) => ({
          updateOne: {
            filter: { _id: assignmentKey(personId, playlistId) },
            update: {
              $set: {
                ...{ status: 'assigned' as const, completed_at: null, override: null, override_changed_at: at },
                ...{
                  reset_at: at,
                  due_changed_at: at,
                  ...storedDue(
                    { due, conditions },
                    findPlanningStart({ due, conditions }, { opensAt, at }, reminderDays),
                    reminderDays,
                  ),
                },
                ...storedRecurrence({ due, recurrence, closedAt: null }),
              },
              // It was about the occurrence before.
              $unset: { note: 1 },
            },
          },
        }),
      )
      if (writes.length > 0) await stored.bulkWrite(writes, { session })
    },
    postponeReopening: async (keys, until, session) => {
      if (keys.length === 0) return
      await stored.updateMany({ _id: { $in: [...keys] } }, { $set: { next_occurrence_at: until } }, { session })
    },
    complete: async ({ personId, playlistId }, { at, resetAt }, session) => {
      const isOfThisAttempt = { $or: [{ reset_at: null }, ...(resetAt ? [{ reset_at: { $lte: resetAt } }] : [])] }
      const _id = assignmentKey(personId, playlistId)
      const row = await stored
        .findOneAndUpdate(
          { _id, status: { $ne: 'completed' }, ...isOfThisAttempt },
          { $set: { status: 'completed', completed_at: at } },
          { session, returnDocument: 'after' },
        )
        .lean()
      if (row?.recurrence?.from === 'completion')
        await stored.updateOne({ _id }, { $set: storedRecurrence(toAssignment(row)) }, { session })
      return row !== null
    },
    byKeys: async keys => {
      const rows = await stored.find({ _id: { $in: [...keys] } }).lean()
      return new Map(rows.map(row => [row._id, toAssignment(row)]))
    },
    afterKey: async (after, limit, exceptPlaylistIds = []) => {
      const rows = await stored
        .find({
          _id: { $gt: after },
          ...(exceptPlaylistIds.length > 0 && { playlist_id: { $nin: [...exceptPlaylistIds] } }),
        })
        .sort({ _id: 1 })
        .limit(limit)
        .lean()
      return rows.map(toAssignment)
    },
    findTodaysCandidates: async (personId, day, exceptPlaylistIds) => {
      const own = {
        person_id: personId,
        ...(exceptPlaylistIds.length > 0 && { playlist_id: { $nin: [...exceptPlaylistIds] } }),
      }
      const open = { ...own, status: 'assigned' as const, assigned_date: { $lt: new Date(day.end) } }
      const [due, latest, completed] = await Promise.all([
        stored
          .find({ ...open, due_at: anyDate })
          .sort({ due_at: 1, _id: 1 })
          .limit(1)
          .lean(),
        stored.find(open).sort({ assigned_date: -1, _id: -1 }).limit(1).lean(),
        stored
          .find({
            ...own,
            status: 'completed',
            completed_at: { $gte: new Date(day.start), $lt: new Date(day.end) },
          })
          .sort({ completed_at: -1, _id: -1 })
          .limit(1)
          .lean(),
      ])
      return [...due, ...latest, ...completed].map(toAssignment)
    },
    findMostUrgentOpen: async (personIds, day, exceptPlaylistIds) => {
      const open = {
        ...{ person_id: { $in: [...personIds] }, status: 'assigned' },
        assigned_date: { $lt: new Date(day.end) },
        ...(exceptPlaylistIds.length > 0 && { playlist_id: { $nin: [...exceptPlaylistIds] } }),
      }
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
      const filter = { person_id: personId, ...(status && { status: { $in: closedStatuses } }) }
      const dateField = status === 'closed' ? 'completed_at' : 'assigned_date'
      const [rows, total] = await Promise.all([
        stored
          .find({ ...filter, ...filterAfter(dateField, after) })
          .sort({ [dateField]: -1, _id: -1 })
          .limit(limit + 1)
          .lean(),
        stored.countDocuments(filter),
      ])
      return pageOf(rows.map(toAssignment), limit, total, assignment => ({
        at: ((status === 'closed' ? assignment.closedAt : null) ?? assignment.assignedDate).getTime(),
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
    summariseAssignees: async playlistIds => {
      const [counts, latest] = await Promise.all([
        stored.aggregate<{ _id: string; count: number }>([
          { $match: { playlist_id: { $in: [...playlistIds] } } },
          { $group: { _id: '$playlist_id', count: { $sum: 1 } } },
        ]),
        findLatest(connection, playlistIds, summarisedAssignees),
      ])
      const assignees = groupByPlaylist(latest)
      return new Map(
        counts.flatMap(({ _id, count }) => {
          const found = assignees.get(_id)
          return found ? [[_id, { ...found, count: Math.max(count, found.personIds.length) }]] : []
        }),
      )
    },
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
      return groupByPlaylist(rows)
    },
  }
}

function groupByPlaylist(rows: readonly AssigneeRow[]): Map<string, Assignees> {
  const assignees = new Map<string, Assignees>()
  for (const { playlist_id, person_id, assigned_date } of rows) {
    const ofPlaylist = assignees.get(playlist_id)
    if (ofPlaylist) ofPlaylist.personIds.push(person_id)
    else assignees.set(playlist_id, { personIds: [person_id], latest: assigned_date })
  }
  return assignees
}

const closedStatuses: Assignment['status'][] = ['completed', 'exempt', 'marked_done']

/** Matches a date, but neither null nor a missing field. */
const anyDate = { $gt: new Date(0) }

type DueTerms = Pick<Terms, 'due' | 'conditions'>

function hasSameDueTimes(before: DueTerms, after: DueTerms): boolean {
  const graceOf = ({ due, conditions }: DueTerms) => findGraceUntil(due, conditions)?.getTime()
  return isSameDue(before.due, after.due) && graceOf(before) === graceOf(after)
}

/** A few pauses of the job that opens occurrences. */
const punctualOpeningMs = 5 * 60_000

/**
 * The instant after which the reminders of an opened occurrence count. A punctual opening sends a
 * reminder that is planned for its own time. A late opening leaves past reminders and escalations
 * out, because the person could not work on the task before.
 */
function findPlanningStart(
  { due, conditions }: { due: DueDate; conditions: Conditions | null },
  { opensAt, at }: { opensAt: Date; at: Date },
  reminderDays: ReminderDays,
): Date {
  if (at.getTime() - opensAt.getTime() > punctualOpeningMs) return at
  const period = { plannedAt: opensAt, now: at }
  const { isEscalated } = findDueSteps(dueTimesOf(due, conditions), period, reminderDays)
  return isEscalated ? at : new Date(opensAt.getTime() - 1)
}

/** Plans the reminders after an instant. */
function storedDue({ due, conditions }: DueTerms, after: Date, reminderDays: ReminderDays) {
  return {
    next_reminder_at: due && findNextReminder(dueTimesOf(due, conditions), after, reminderDays),
    due_at: due?.at ?? null,
    due_local: due?.local ?? null,
    due_time_zone: due?.timeZone ?? null,
  }
}

/** The changed fields of an assignment that gets other terms. */
export function storedTermsChange(before: Assignment, after: Terms, at: Date, reminderDays: ReminderDays) {
  return {
    ...(hasSameDueTimes(before, after) ? {} : storedDue(after, at, reminderDays)),
    ...storedRecurrence({ ...after, closedAt: before.closedAt }),
    conditions: after.conditions,
    due_changed_at: at,
  }
}

/** The fields of the terms of an open assignment. */
export function storedTerms(terms: Terms, now: Date, reminderDays: ReminderDays) {
  return {
    ...storedDue(terms, now, reminderDays),
    ...storedRecurrence({ ...terms, closedAt: null }),
    conditions: terms.conditions,
  }
}

function storedRecurrence(assignment: Pick<Assignment, 'due' | 'recurrence' | 'closedAt'>) {
  return {
    recurrence: assignment.recurrence,
    next_occurrence_at: nextOccurrenceOf(assignment)?.opensAt ?? null,
  }
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

export function toAssignment(row: StoredAssignment): Assignment {
  return {
    personId: row.person_id,
    playlistId: row.playlist_id,
    assignedBy: row.assigned_by,
    assignedDate: row.assigned_date,
    note: row.note ?? '',
    status: row.status,
    completedAt: row.status === 'completed' ? (row.completed_at ?? null) : null,
    closedAt: row.completed_at ?? null,
    override: row.override ?? null,
    overrideChangedAt: row.override_changed_at ?? row.assigned_date,
    resetAt: row.reset_at ?? null,
    due: row.due_at ? { at: row.due_at, local: row.due_local!, timeZone: row.due_time_zone! } : null,
    dueChangedAt: row.due_changed_at ?? row.assigned_date,
    origin: toOrigin(row),
    recurrence: row.recurrence ?? null,
    conditions: row.conditions ?? null,
  }
}

function toOrigin(
  row: Pick<StoredAssignment, 'by_hand' | 'group_ids' | 'own_terms' | 'group_due'>,
): TaskOrigin & { groupDue: string | undefined } {
  return {
    ...{ byHand: row.by_hand ?? true, groupIds: row.group_ids ?? [], ownTerms: row.own_terms ?? true },
    groupDue: row.group_due ?? undefined,
  }
}

export function storedOrigin({ byHand, groupIds, ownTerms, groupDue }: TaskOrigin) {
  return { by_hand: byHand, group_ids: [...groupIds], own_terms: ownTerms, group_due: groupDue ?? null }
}
