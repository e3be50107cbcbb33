export interface Assignment {
  personId: string
  playlistId: string
  assignedBy: string
  assignedDate: Date
  status: 'assigned' | 'completed'
  completedAt: Date | null
}

export type AssignmentStatus = 'assigned' | 'in_progress' | 'completed'

/** The bounds of a day, as instants in ms; `end` is the start of the next day. */
interface DayBounds {
  start: number
  end: number
}

/**
 * Today's task: of the assignments to a person the one most recently dated today or earlier that is not completed, else the
 * one completed today (the last of several), else none. Source: the product's design rules, "Today's task".
 */
export function todaysAssignment(assignments: readonly Assignment[], day: DayBounds): Assignment | undefined {
  const open = assignments.filter(each => each.status === 'assigned' && each.assignedDate.getTime() < day.end)
  if (open.length > 0) return latest(open, each => each.assignedDate)
  const completedToday = assignments.filter(
    ({ status, completedAt }) =>
      status === 'completed' &&
      completedAt !== null &&
      completedAt.getTime() >= day.start &&
      completedAt.getTime() < day.end,
  )
  return latest(completedToday, each => each.completedAt!)
}

/** Ties fall to the larger playlist id, so that the answer does not depend on the order of reading. */
function latest(assignments: readonly Assignment[], dateOf: (each: Assignment) => Date): Assignment | undefined {
  return assignments.reduce<Assignment | undefined>((best, each) => {
    if (!best) return each
    const later = dateOf(each).getTime() - dateOf(best).getTime()
    return later > 0 || (later === 0 && each.playlistId > best.playlistId) ? each : best
  }, undefined)
}

/** What an assignment's badge says; `started` when there is a position to come back to. */
export function assignmentStatus(assignment: Pick<Assignment, 'status'>, started: boolean): AssignmentStatus {
  if (assignment.status === 'completed') return 'completed'
  return started ? 'in_progress' : 'assigned'
}
