import type { ClientSession } from 'mongoose'
import {
  type Assignment,
  type DueSteps,
  findDueSteps,
  findNextReminder,
  type ReminderDays,
} from '../rules/assignment.ts'
import { dueTimesOf } from '../rules/due-date.ts'
import { type AssignmentModel, type AssignmentReader, assignmentKey } from './stored-assignment.ts'

/** An open assignment, and what has come of its due date. */
export interface DueReminder {
  assignment: Assignment
  steps: DueSteps
}

/** The reminders and escalations of due dates that come by themselves. */
export interface DueReminderStore {
  /** Keys of open assignments whose next reminder or escalation has come, the earliest first. */
  findToRemind(now: Date, limit: number): Promise<string[]>
  /**
   * Schedules the next reminder or escalation of each of these assignments for which one is due,
   * and returns them with what is due. Two transactions conflict, so that only one claims it.
   */
  claimDueReminders(keys: readonly string[], now: Date, session: ClientSession): Promise<DueReminder[]>
}

export function createDueReminderStore(
  stored: AssignmentModel,
  toAssignment: AssignmentReader,
  reminderDays: ReminderDays,
): DueReminderStore {
  return {
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
  }
}
