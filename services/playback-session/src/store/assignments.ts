import { type OverrideAction, overrideKinds } from '@watchline/contracts/fields'
import { isText } from '@watchline/kit/mongo/database'
import type { ClientSession, Connection } from 'mongoose'
import {
  type Assignment,
  changeTerms,
  isChangedBy,
  isSameTerms,
  keepsDue,
  movesOneOccurrence,
  type ReminderDays,
  type Terms,
  type TermsInput,
  termsOf,
} from '../rules/assignment.ts'
import { assignByHand, unassignByHand } from '../rules/task-origin.ts'
import { type AssigneeStore, createAssigneeStore } from './assignees.ts'
import { type AssignmentPageStore, createAssignmentPageStore } from './assignment-pages.ts'
import { createDueReminderStore, type DueReminderStore } from './due-reminders.ts'
import { createOccurrenceStore, type OccurrenceStore } from './occurrences.ts'
import {
  type AssignmentReader,
  assignmentKey,
  createAssignmentModel,
  storedDue,
  storedOrigin,
  storedRecurrence,
  storedTermsChange,
  toOrigin,
} from './stored-assignment.ts'
import { createTodaysTaskStore, type TodaysTaskStore } from './todays-tasks.ts'

/** The terms of one assignment before and after a change. */
export interface TermsChange {
  personId: string
  before: Terms
  after: Terms
  /** The due date did not change, or nobody works towards it, because the task is closed. */
  keepsDue: boolean
}

/** The tasks of people, with their terms and outcomes. */
export interface AssignmentStore
  extends AssigneeStore,
    AssignmentPageStore,
    DueReminderStore,
    OccurrenceStore,
    TodaysTaskStore {
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
  /** Removes at most `limit` assignments of a playlist, and returns their number. */
  removeBatch(playlistId: string, limit: number): Promise<number>
  /** True if at least one of these people has the playlist. */
  hasAny(playlistId: string, personIds: readonly string[]): Promise<boolean>
  /**
   * Sets the due date and the conditions of the people who have the playlist and have not completed
   * it, and the recurrence of all of them. A group no longer changes these terms, unless the
   * change only moved the present occurrence. Returns the changes, without people whose terms are
   * the same already.
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
  /** Removes the notes to and by a person, and the reasons of their overrides and resets. */
  eraseWords(personId: string): Promise<void>
  /**
   * False if there is no such assignment, it is completed already, or it was reset after `resetAt`:
   * then the completion is of an earlier attempt. With `assignedDate`, it is of that assignment
   * only. Otherwise it is of none that came after it.
   */
  complete(
    key: { personId: string; playlistId: string },
    completion: { at: Date; resetAt: Date | null; assignedDate: Date | null },
    session: ClientSession,
  ): Promise<boolean>
  byKeys(keys: readonly string[]): Promise<Map<string, Assignment>>
  /** Sorted by key, except of some playlists. */
  afterKey(after: string, limit: number, exceptPlaylistIds?: readonly string[]): Promise<Assignment[]>
  countFor(personId: string): Promise<number>
}

/** The clocks of engagement, which dates completions, and of this service may differ this much. */
const clockToleranceMs = 60_000

function followsGroup(assignment: Assignment, change: TermsInput): boolean {
  return movesOneOccurrence(assignment, change) && change.conditions === undefined
}

export function createAssignmentStore(
  connection: Connection,
  toAssignment: AssignmentReader,
  reminderDays: ReminderDays,
): AssignmentStore {
  const stored = createAssignmentModel(connection)

  async function findOrigins(playlistId: string, personIds: readonly string[], session: ClientSession) {
    const keys = personIds.map(personId => assignmentKey(personId, playlistId))
    const fields = { person_id: 1, by_hand: 1, group_ids: 1, own_terms: 1, group_due: 1 }
    const rows = await stored.find({ _id: { $in: keys } }, fields, { session }).lean()
    return new Map(rows.map(row => [row.person_id, toOrigin(row)]))
  }

  return {
    ...createAssigneeStore(connection, stored),
    ...createAssignmentPageStore(stored, toAssignment),
    ...createDueReminderStore(stored, toAssignment, reminderDays),
    ...createOccurrenceStore(stored, toAssignment, reminderDays),
    ...createTodaysTaskStore(stored, toAssignment),
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
          ...(recurrence && storedRecurrence({ due, recurrence, conditions, closedAt: null })),
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
            $set: {
              ...storedTermsChange(assignment, after, at, reminderDays),
              // A later change by the group still applies after one occurrence was moved.
              ...(!followsGroup(assignment, input) && { own_terms: true, group_due: null }),
            },
          },
        },
      }))
      if (writes.length > 0) await stored.bulkWrite(writes, { session })
      return changes.map(({ assignment, after }) => ({
        personId: assignment.personId,
        before: termsOf(assignment),
        after,
        keepsDue: keepsDue(assignment, after),
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
        return action === 'reset' ? { ...reopened, reset_at: at, reset: { by, at, reason } } : reopened
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
      for (const field of ['override.reason', 'reset.reason'])
        await stored.updateMany({ person_id: personId, [field]: { $exists: true } }, { $set: { [field]: '' } })
    },
    complete: async ({ personId, playlistId }, { at, resetAt, assignedDate }, session) => {
      const isOfThisAttempt = { $or: [{ reset_at: null }, ...(resetAt ? [{ reset_at: { $lte: resetAt } }] : [])] }
      const _id = assignmentKey(personId, playlistId)
      const row = await stored
        .findOneAndUpdate(
          {
            _id,
            status: { $ne: 'completed' },
            ...isOfThisAttempt,
            assigned_date: assignedDate ?? { $lte: new Date(at.getTime() + clockToleranceMs) },
          },
          { $set: { status: 'completed', completed_at: at } },
          { session, returnDocument: 'after' },
        )
        .lean()
      if (row?.recurrence) await stored.updateOne({ _id }, { $set: storedRecurrence(toAssignment(row)) }, { session })
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
    countFor: personId => stored.countDocuments({ person_id: personId }),
  }
}
