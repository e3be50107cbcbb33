import type { Conditions } from '@watchline/contracts/conditions'
import type { Recurrence } from '@watchline/contracts/recurrence'
import { replaceUnknownTimeZone } from '@watchline/kit/core/calendar'
import { isText } from '@watchline/kit/mongo/database'
import { type Connection, type Model, Schema } from 'mongoose'
import {
  type Assignment,
  type Decision,
  type DueDate,
  findNextReminder,
  isSameDue,
  keepsDue,
  type Override,
  type ReminderDays,
  type Terms,
} from '../rules/assignment.ts'
import { dueTimesOf, findGraceUntil, nextOccurrenceOf } from '../rules/due-date.ts'
import type { TaskOrigin } from '../rules/task-origin.ts'

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
  /**
   * `due_at`, if the time zone is that of the person. Absent or null if the same one counts for
   * everybody. Earlier versions change `due_at` only: then the two differ, and this one is void.
   */
  personal_due_at?: Date | null
  /** Absent while the due date is that of the assignment. */
  due_changed_at?: Date
  /** See `dueSetAt` of {@link Assignment}. */
  due_set_at?: Date
  /** The next reminder or escalation of the due date; absent or null if there is none. */
  next_reminder_at?: Date | null
  /** All three are absent in rows of earlier versions. */
  override?: Override | null
  override_changed_at?: Date
  reset_at?: Date
  /**
   * The last reset by a superior. Absent without one, and of resets of earlier versions. Its time
   * is not `reset_at` if an occurrence has opened since, or an earlier version reset the task.
   */
  reset?: Decision
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

export type AssignmentModel = Model<StoredAssignment>

export function assignmentKey(personId: string, playlistId: string): string {
  return `${personId}:${playlistId}`
}

/** The playlist of an {@link assignmentKey}. */
export function playlistOfKey(key: string): string {
  return key.slice(key.indexOf(':') + 1)
}

/** The collection with its indexes. */
export function createAssignmentModel(connection: Connection): AssignmentModel {
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
      personal_due_at: Date,
      due_changed_at: Date,
      due_set_at: Date,
      next_reminder_at: Date,
      override: Schema.Types.Mixed,
      override_changed_at: Date,
      reset_at: Date,
      reset: Schema.Types.Mixed,
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
  // For the export of what a person did.
  schema.index({ assigned_by: 1, assigned_date: -1 })
  // For `eraseWords`. Few tasks have a note.
  schema.index({ assigned_by: 1 }, { partialFilterExpression: { note: isText }, name: 'notes_by_author' })
  return connection.model<StoredAssignment>('Assignment', schema)
}

export type AssignmentReader = (row: StoredAssignment) => Assignment

/** Tasks whose stored time zone is unknown count in that of the organisation. */
export function createAssignmentReader(organisationZone: string): AssignmentReader {
  return row => toAssignment(row, organisationZone)
}

function toAssignment(row: StoredAssignment, organisationZone: string): Assignment {
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
    reset: row.reset && row.reset.at.getTime() === row.reset_at?.getTime() ? row.reset : null,
    due: toDue(row, organisationZone),
    dueChangedAt: row.due_changed_at ?? row.assigned_date,
    dueSetAt: row.due_set_at ?? null,
    origin: toOrigin(row),
    recurrence: row.recurrence ?? null,
    conditions: row.conditions ?? null,
  }
}

function toDue(
  { due_at, due_local, due_time_zone, personal_due_at }: StoredAssignment,
  organisationZone: string,
): DueDate | null {
  if (!due_at) return null
  const due = { at: due_at, local: due_local!, timeZone: replaceUnknownTimeZone(due_time_zone!, organisationZone) }
  return personal_due_at?.getTime() === due_at.getTime() ? { ...due, zoneOf: 'person' } : due
}

export function toOrigin(
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

type DueTerms = Pick<Terms, 'due' | 'conditions'>

/** Plans the reminders after an instant. */
export function storedDue({ due, conditions }: DueTerms, after: Date, reminderDays: ReminderDays) {
  return {
    next_reminder_at: due && findNextReminder(dueTimesOf(due, conditions), after, reminderDays),
    due_at: due?.at ?? null,
    due_local: due?.local ?? null,
    due_time_zone: due?.timeZone ?? null,
    personal_due_at: due?.zoneOf === 'person' ? due.at : null,
  }
}

/** The changed fields of an assignment that gets other terms. */
export function storedTermsChange(before: Assignment, after: Terms, at: Date, reminderDays: ReminderDays) {
  return {
    ...(hasSameDueTimes(before, after) ? {} : storedDue(after, at, reminderDays)),
    ...storedRecurrence({ ...after, closedAt: before.closedAt }),
    conditions: after.conditions,
    due_changed_at: at,
    // The same as in the event, for the pace of the task if it opens again.
    ...(!keepsDue(before, after) && { due_set_at: at }),
  }
}

function hasSameDueTimes(before: DueTerms, after: DueTerms): boolean {
  const graceOf = ({ due, conditions }: DueTerms) => findGraceUntil(due, conditions)?.getTime()
  return isSameDue(before.due, after.due) && graceOf(before) === graceOf(after)
}

/** The fields of the terms of an open assignment. */
export function storedTerms(terms: Terms, now: Date, reminderDays: ReminderDays) {
  return {
    ...storedDue(terms, now, reminderDays),
    ...storedRecurrence({ ...terms, closedAt: null }),
    conditions: terms.conditions,
  }
}

export function storedRecurrence(assignment: Pick<Assignment, 'closedAt' | keyof Terms>) {
  return {
    recurrence: assignment.recurrence,
    next_occurrence_at: nextOccurrenceOf(assignment)?.opensAt ?? null,
  }
}

/** Matches a date, but neither null nor a missing field. */
export const anyDate = { $gt: new Date(0) }
