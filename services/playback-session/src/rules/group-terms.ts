import { type ConditionsInput, changeConditions } from '@watchline/contracts/conditions'
import type { Recurrence, RecurrenceInput } from '@watchline/contracts/recurrence'
import { type Assignment, type DueDate, isSameDue, type Terms, termsOf } from './assignment.ts'

/**
 * The terms under which a group has a playlist. The due date is that of the first occurrence. If it
 * counts in the time zone of each person, its own time zone is that of the organisation.
 */
export interface GroupTerms {
  due: DueDate | null
  /** Both are absent in rows of earlier versions, meaning null. */
  recurrence?: Terms['recurrence']
  conditions?: Terms['conditions']
}

/** A change of the terms of a group. Undefined fields stay unchanged. */
export interface GroupTermsChange {
  due: DueDate | null | undefined
  recurrence: RecurrenceInput | null | undefined
  conditions: ConditionsInput | undefined
}

/**
 * The terms of a group after a change. A new due date starts a new series with it. A new period
 * starts one with the due date of the present occurrence, whose local time `findPresentLocalDue`
 * returns.
 */
export function changeGroupTerms(
  before: GroupTerms,
  change: GroupTermsChange,
  findPresentLocalDue: (due: DueDate, recurrence: Recurrence) => string,
): Terms {
  const due = change.due === undefined ? before.due : change.due
  return {
    due,
    recurrence: due && changeRecurrence(before, due, change.recurrence, findPresentLocalDue),
    conditions: changeConditions(before.conditions ?? null, change.conditions, due !== null),
  }
}

function changeRecurrence(
  { due: previousDue, recurrence: previous }: GroupTerms,
  due: DueDate,
  input: RecurrenceInput | null | undefined,
  findPresentLocalDue: (due: DueDate, recurrence: Recurrence) => string,
): Recurrence | null {
  const terms = input === undefined ? previous : input
  if (!terms) return null
  if (!previous || !isSameDue(previousDue, due)) return { ...terms, first_due: due.local }
  const keepsSeries = previous.interval === terms.interval && previous.unit === terms.unit
  return { ...terms, first_due: keepsSeries ? previous.first_due : findPresentLocalDue(due, previous) }
}

/**
 * The terms that a task has by its group. `groupDue` marks the due date of the group from which
 * they come, for the next comparison. Occurrences move the due date of a task, and it may stay when
 * the recurrence ends; it changes only if the group gets another one. So another time zone of the
 * person does not move it. Of closed tasks only the recurrence changes. A task that was closed
 * without a due date gets the present one with it, so that it counts for the present occurrence.
 * `findDueAhead` returns the due date of the person if they get the task now.
 */
export function applyGroupTerms(
  task: Pick<Assignment, 'status' | keyof Terms> & { groupDue: string | undefined },
  group: GroupTerms,
  findDueAhead: () => DueDate | null,
): { terms: Terms; groupDue: string | undefined } {
  const groupDue = group.due ? `${group.due.local} ${group.due.zoneOf ?? group.due.timeZone}` : undefined
  if (task.status !== 'assigned') {
    const due = task.due ?? (group.recurrence ? findDueAhead() : null)
    const recurrence = due && (group.recurrence ?? null)
    return { terms: { ...termsOf(task), due, recurrence }, groupDue: recurrence ? groupDue : task.groupDue }
  }
  const keepsDue = isSameDue(task.due, group.due) || (groupDue !== undefined && task.groupDue === groupDue)
  const due = keepsDue ? task.due : findDueAhead()
  const recurrence = due && (group.recurrence ?? null)
  return {
    terms: { due, recurrence, conditions: group.conditions ?? null },
    groupDue: recurrence || !isSameDue(due, group.due) ? groupDue : undefined,
  }
}
