import { limits } from '@watchline/contracts/limits'

/** By when a task is to be completed. */
export interface DueDate {
  at: Date
  /** Date and time on the clocks of the time zone: ISO 8601, to the minute. */
  local: string
  timeZone: string
}

export interface Assignment {
  personId: string
  playlistId: string
  assignedBy: string
  assignedDate: Date
  status: 'assigned' | 'completed'
  completedAt: Date | null
  due: DueDate | null
  /** The time of the last change of the due date, at first that of the assignment. */
  dueChangedAt: Date
}

export type AssignmentStatus = 'assigned' | 'in_progress' | 'completed'

/** In ms; `end` is the start of the next day. */
interface DayBounds {
  start: number
  end: number
}

/**
 * Chooses today's task from a person's assignments: of the open ones dated today or earlier the one
 * that is due first, or without due dates the latest one; else the last one completed today, else
 * none. Source: the product's design rules, "Today's task".
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
export function assignmentStatus(assignment: Pick<Assignment, 'status'>, started: boolean): AssignmentStatus {
  if (assignment.status === 'completed') return 'completed'
  return started ? 'in_progress' : 'assigned'
}

/**
 * Returns the time of the next reminder after an instant; null after the last one. Reminders come a
 * day before the due date and at it.
 */
export function findNextReminder(dueAt: Date, after: Date): Date | null {
  return [new Date(dueAt.getTime() - limits.dueSoonMs), dueAt].find(at => at > after) ?? null
}
