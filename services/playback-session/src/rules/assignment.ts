import {
  type Conditions,
  type ConditionsInput,
  changeConditions,
  isSameConditions,
} from '@watchline/contracts/conditions'
import { type OverrideAction, type OverrideKind, overrideKinds } from '@watchline/contracts/fields'
import type { Recurrence, RecurrenceInput } from '@watchline/contracts/recurrence'
import { localTimeOf } from '@watchline/kit/core/calendar'
import type { TaskOrigin } from './task-origin.ts'

/** By when a task is to be completed. */
export interface DueDate {
  at: Date
  /** Local date and time in the time zone: ISO 8601, to the minute. */
  local: string
  timeZone: string
  /**
   * `person`: the time zone is that of the person who has the task, and the next occurrence follows
   * the person's choice. Absent: the same time zone counts for everybody.
   */
  zoneOf?: 'person'
}

/** A task repeats only if it has a due date. */
export interface Terms {
  due: DueDate | null
  recurrence: Recurrence | null
  /** Null for the default conditions. */
  conditions: Conditions | null
}

/** A superior's decision about a task. */
export interface Decision {
  /** The id of the superior. */
  by: string
  at: Date
  reason: string
}

/** A decision that closes a task without its videos. */
export interface Override extends Decision {
  kind: OverrideKind
}

export interface Assignment extends Terms {
  personId: string
  playlistId: string
  assignedBy: string
  assignedDate: Date
  /** The words of the person who assigned it, by hand or to a group; empty without any. */
  note: string
  /** `completed` means by watching. The kinds of overrides close the task, too. */
  status: 'assigned' | 'completed' | OverrideKind
  completedAt: Date | null
  /** The completion, or the override that closes the task. */
  closedAt: Date | null
  /** It stays when the person completes the task after all. */
  override: Override | null
  /** The time of the last override, or of the last one that was taken back. */
  overrideChangedAt: Date
  /** The start of the present attempt, by a reset or a recurrence; null without one. */
  resetAt: Date | null
  /** The reset that began the present attempt; null without one, or if its author is unknown. */
  reset: Decision | null
  /**
   * The time of the last change of the due date or the recurrence, at first that of the assignment.
   */
  dueChangedAt: Date
  /**
   * The time of the last change of the due date after the assignment. Null if it never changed, or
   * changed in an earlier version.
   */
  dueSetAt: Date | null
  origin: TaskOrigin
}

export type AssignmentStatus = 'assigned' | 'in_progress' | 'completed'

/** In ms; `end` is the start of the next day. */
interface DayBounds {
  start: number
  end: number
}

/**
 * Chooses today's task from a person's assignments. Of the open ones dated today or earlier it is
 * the one due first, or the latest one if none has a due date. Otherwise it is the last one
 * completed today. Source: the product's design rules, "Today's task".
 */
export function findTodaysAssignment(assignments: readonly Assignment[], day: DayBounds): Assignment | undefined {
  const open = assignments.filter(
    ({ status, assignedDate }) => status === 'assigned' && assignedDate.getTime() < day.end,
  )
  if (open.length > 0) return findMostUrgent(open)
  const completedToday = assignments.filter(
    ({ status, completedAt }) =>
      status === 'completed' &&
      completedAt !== null &&
      completedAt.getTime() >= day.start &&
      completedAt.getTime() < day.end,
  )
  return latest(completedToday, assignment => assignment.completedAt!)
}

/**
 * The assignment that is due first, or the latest one if none has a due date. Of equal due dates
 * the one with the smaller playlist id is first. The queries of the store sort in the same order.
 */
export function findMostUrgent(assignments: readonly Assignment[]): Assignment | undefined {
  const [first] = assignments
    .filter(({ due }) => due)
    .sort((a, b) => a.due!.at.getTime() - b.due!.at.getTime() || (a.playlistId < b.playlistId ? -1 : 1))
  return first ?? latest(assignments, assignment => assignment.assignedDate)
}

/** With equal dates the larger playlist id wins. So the result does not depend on read order. */
function latest(assignments: readonly Assignment[], dateOf: (assignment: Assignment) => Date): Assignment | undefined {
  return assignments.reduce<Assignment | undefined>((best, assignment) => {
    if (!best) return assignment
    const difference = dateOf(assignment).getTime() - dateOf(best).getTime()
    return difference > 0 || (difference === 0 && assignment.playlistId > best.playlistId) ? assignment : best
  }, undefined)
}

/** `started`: there is a position to resume. */
export function assignmentStatus({ status }: Pick<Assignment, 'status'>, started: boolean): AssignmentStatus {
  if (status === 'completed' || status === 'marked_done') return 'completed'
  return started ? 'in_progress' : 'assigned'
}

/** The override that closes the task; null if it is open, or completed by watching. */
export function effectiveOverride({ status, override }: Pick<Assignment, 'status' | 'override'>): Override | null {
  return status === 'exempt' || status === 'marked_done' ? override : null
}

/**
 * Whether the action changes the assignment. A completed one is only reset, or loses its override.
 */
export function isChangedBy({ status, override }: Pick<Assignment, 'status' | 'override'>, action: OverrideAction) {
  if (action === 'reset') return true
  if (action === 'take_back') return override !== null
  return status !== 'completed' && status !== overrideKinds[action]
}

/** The days before and after a due date on which open tasks are reminded of and escalated. */
export interface ReminderDays {
  /** Reminders of the person who has the task. */
  before: readonly number[]
  after: readonly number[]
  /** Days after the due date on which the manager of the person's supervisor is notified. */
  escalation: readonly number[]
}

/**
 * Returns the time of the next reminder or escalation after an instant; null after the last one.
 * Reminders come at the due date and on the given days before and after it. Escalations count from
 * the end of the grace period.
 */
export function findNextReminder(due: DueTimes, after: Date, days: ReminderDays): Date | null {
  const times = [...reminderOffsets(days).map(due.afterDue), ...days.escalation.map(due.afterGrace)]
  return times.sort((a, b) => a.getTime() - b.getTime()).find(at => at > after) ?? null
}

/**
 * The same time of day `days` days later, on the clocks of a due date; earlier for negative `days`.
 */
export interface DueTimes {
  afterDue(days: number): Date
  /** Counts from the end of the grace period; without one, from the due date. */
  afterGrace(days: number): Date
}

/** The messages about a due date whose time has come. */
export interface DueSteps {
  isReminded: boolean
  isEscalated: boolean
}

/**
 * The messages whose time has come since the planned time. If several came while no process ran,
 * one counts. A time that was planned with other days may bring none.
 */
export function findDueSteps(
  due: DueTimes,
  { plannedAt, now }: { plannedAt: Date; now: Date },
  days: ReminderDays,
): DueSteps {
  const hasCome = (at: Date) => at >= plannedAt && at <= now
  return {
    isReminded: reminderOffsets(days).some(offset => hasCome(due.afterDue(offset))),
    isEscalated: days.escalation.some(offset => hasCome(due.afterGrace(offset))),
  }
}

function reminderOffsets({ before, after }: ReminderDays): number[] {
  return [...before.map(count => -count), 0, ...after]
}

/** A change of terms. Undefined fields stay unchanged. */
export interface TermsInput {
  due: DueDate | null | undefined
  recurrence: RecurrenceInput | null | undefined
  conditions: ConditionsInput | undefined
  /** Only the present occurrence moves: the recurrence of an open task stays. */
  keepsSeries?: boolean | undefined
}

/**
 * The terms after a change. A closed occurrence keeps its due date and its conditions; only the
 * recurrence that the change names applies to it. It ends if the change removes the due date. An
 * occurrence that was closed without a due date gets one with the recurrence, which counts from it.
 */
export function changeTerms(assignment: Pick<Assignment, 'status' | keyof Terms>, change: TermsInput): Terms {
  const isOpen = assignment.status === 'assigned'
  const needsDue = assignment.due === null && change.recurrence != null
  const due = (isOpen || needsDue) && change.due !== undefined ? change.due : assignment.due
  const conditions = isOpen
    ? changeConditions(assignment.conditions, change.conditions, due !== null)
    : assignment.conditions
  if (movesOneOccurrence(assignment, change))
    return { due: due && toZoneOf(assignment.due, due), recurrence: assignment.recurrence, conditions }
  return {
    due,
    recurrence: due && change.due !== null ? changeRecurrence(assignment, due, change.recurrence) : null,
    conditions,
  }
}

/** Whether a change of the due date leaves the recurrence of the task as it is. */
export function movesOneOccurrence({ recurrence }: Pick<Terms, 'recurrence'>, { keepsSeries }: TermsInput): boolean {
  return keepsSeries === true && recurrence !== null
}

/** The next occurrences count on the clocks of the present one, so its time zone stays. */
function toZoneOf(present: DueDate | null, due: DueDate): DueDate {
  return present ? { ...present, at: due.at, local: localTimeOf(due.at.getTime(), present.timeZone) } : due
}

/** Periods count from the new due date, unless neither it nor the period changes. */
function changeRecurrence(
  { due: previousDue, recurrence: previous }: Pick<Terms, 'due' | 'recurrence'>,
  due: DueDate,
  input: RecurrenceInput | null | undefined,
): Recurrence | null {
  const terms = input === undefined ? previous : input
  if (!terms) return null
  const keepsSeries =
    previous && isSameDue(previousDue, due) && previous.interval === terms.interval && previous.unit === terms.unit
  return { ...terms, first_due: keepsSeries ? previous.first_due : due.local }
}

export function termsOf({ due, recurrence, conditions }: Terms): Terms {
  return { due, recurrence, conditions }
}

export function isSameTerms(a: Terms, b: Terms): boolean {
  return (
    isSameDue(a.due, b.due) &&
    isSameRecurrence(a.recurrence, b.recurrence) &&
    isSameConditions(a.conditions, b.conditions)
  )
}

/** New terms leave the due date that people work towards. Nobody works towards a closed task's. */
export function keepsDue(task: Pick<Assignment, 'status' | 'due'>, after: Pick<Terms, 'due'>): boolean {
  return task.status !== 'assigned' || isSameDue(task.due, after.due)
}

export function isSameDue(a: DueDate | null, b: DueDate | null): boolean {
  return (
    a?.local === b?.local &&
    a?.timeZone === b?.timeZone &&
    a?.zoneOf === b?.zoneOf &&
    a?.at.getTime() === b?.at.getTime()
  )
}

function isSameRecurrence(a: Recurrence | null, b: Recurrence | null): boolean {
  return (
    a?.interval === b?.interval &&
    a?.unit === b?.unit &&
    a?.from === b?.from &&
    a?.first_due === b?.first_due &&
    a?.opens_days_before === b?.opens_days_before
  )
}
