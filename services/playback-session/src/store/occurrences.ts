import type { Conditions } from '@watchline/contracts/conditions'
import type { ClientSession } from 'mongoose'
import { type Assignment, type DueDate, findDueSteps, type ReminderDays } from '../rules/assignment.ts'
import { dueTimesOf } from '../rules/due-date.ts'
import {
  type AssignmentModel,
  type AssignmentReader,
  assignmentKey,
  storedDue,
  storedRecurrence,
} from './stored-assignment.ts'

/** An assignment as it was, the due date with which it opens again, and when it was to open. */
export interface Reopening {
  assignment: Assignment
  due: DueDate
  opensAt: Date
}

/** The occurrences of recurring tasks. */
export interface OccurrenceStore {
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
}

export function createOccurrenceStore(
  stored: AssignmentModel,
  toAssignment: AssignmentReader,
  reminderDays: ReminderDays,
): OccurrenceStore {
  return {
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
                ...storedRecurrence({ due, recurrence, conditions, closedAt: null }),
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
  }
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
