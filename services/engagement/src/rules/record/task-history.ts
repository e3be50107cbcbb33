import type { Conditions } from '@watchline/contracts/conditions'
import type { DueDate, OverrideAction, TaskEndCause } from '@watchline/contracts/fields'
import type { RecordedAssignment } from '@watchline/contracts/records'
import type { Recurrence } from '@watchline/contracts/recurrence'
import { isoTime } from '../summary.ts'
import { toPrintable } from './printable-text.ts'

/** Something that happened to a person’s task. Instants are in ms; `by` is null if unknown. */
export interface TaskFact {
  kind: 'assigned' | 'due_changed' | 'unassigned' | 'completed' | 'recurred' | OverrideAction
  playlistId: string
  at: number
  by: string | null
  due: DueDate | null
  /** Of an exception or a change of terms; empty without one. */
  reason: string
  /** The latest reset that a completion comes after; null if none is known. */
  resetAt: number | null
  /** By which terms the task repeats from then on; null if it does not, and of other kinds. */
  recurrence: Recurrence | null
  /**
   * From then on; null for the default ones, undefined if they stay as they are. Of a completion
   * those that it met, undefined for the default ones.
   */
  conditions?: Conditions | null | undefined
  /**
   * The due date of the occurrence that ended when the next one opened by itself, or when a new
   * assignment began instead of it.
   */
  previousDue: DueDate | null
  /** The end of its grace period, ms; absent or null without one. */
  graceUntil?: number | null
  /** Due dates of occurrences that passed without opening. */
  skipped: readonly DueDate[]
  /** The reason why the task ended; absent or null if a person unassigned it, or if unknown. */
  endCause?: TaskEndCause | null
  /** Of an assignment: the completion of the assignment before. Absent without one. */
  earlierCompletion?: EarlierCompletion | undefined
}

/** A completion that is older than an assignment. Instants are in ms. */
export interface EarlierCompletion {
  completedAt: number
  /** By the terms under which it was reached; null if it does not expire. */
  validUntil: number | null
  /** It completes the new assignment, too. Otherwise that one starts from zero. */
  counts: boolean
}

/** A task that the person has now, as the projection knows it. Instants are in ms. */
export interface PresentTask {
  assignedAt: number
  dueAt: number | null
}

/** A {@link RecordedAssignment} with ids of people. Instants are in ms. */
export interface AssignmentPeriod {
  assignedAt: number | null
  assignedBy: string | null
  due: DueDate | null
  recurrence: Recurrence | null
  conditions: Conditions | null
  dueChanges: Pick<TaskFact, 'at' | 'by' | 'due' | 'recurrence' | 'conditions' | 'reason'>[]
  endedAt: number | null
  endedBy: string | null
  endCause: TaskEndCause | 'playlist_deleted' | null
}

/**
 * The times that a task was assigned, oldest first. Versions before records kept no facts: then the
 * present task stands for its assignment. The deletion of the playlist ends the last one.
 */
export function listAssignmentPeriods(
  facts: readonly TaskFact[],
  present: PresentTask | undefined,
  deletedAt: number | null,
): AssignmentPeriod[] {
  const periods: AssignmentPeriod[] = []
  const findOpen = () => {
    const last = periods.at(-1)
    return last?.endedAt === null ? last : undefined
  }
  const open = (fields: Partial<AssignmentPeriod> = {}) => {
    const period = { ...emptyPeriod(), ...fields }
    periods.push(period)
    return period
  }
  for (const { kind, at, by, due, recurrence, conditions, reason, endCause = null } of facts) {
    if (kind === 'assigned') open({ assignedAt: at, assignedBy: by, due, recurrence, conditions: conditions ?? null })
    else if (kind === 'due_changed')
      (findOpen() ?? open()).dueChanges.push({ at, by, due, recurrence, conditions, reason })
    else if (kind === 'unassigned') Object.assign(findOpen() ?? open(), { endedAt: at, endedBy: by, endCause })
  }
  if (present) {
    const period = findOpen() ?? open()
    period.assignedAt ??= present.assignedAt
    const isUnknownDue = period.due === null && period.assignedBy === null && period.dueChanges.length === 0
    if (isUnknownDue && present.dueAt !== null) period.due = describeInstant(present.dueAt)
  } else if (deletedAt !== null) Object.assign(findOpen() ?? {}, { endedAt: deletedAt, endCause: 'playlist_deleted' })
  return periods
}

function emptyPeriod(): AssignmentPeriod {
  return {
    ...{ assignedAt: null, assignedBy: null, due: null, recurrence: null, conditions: null },
    ...{ dueChanges: [], endedAt: null, endedBy: null, endCause: null },
  }
}

/** A due date of which only the instant is known. */
function describeInstant(at: number): DueDate {
  const text = new Date(at).toISOString()
  return { at: text, local: text.slice(0, 16), time_zone: 'UTC' }
}

/** The fact after which the task has its present terms, or its last ones. */
export function findLastTerms(facts: readonly TaskFact[]): TaskFact | undefined {
  return facts.findLast(({ kind }) => kind === 'assigned' || kind === 'due_changed' || kind === 'recurred')
}

/**
 * The time at which the latest assignment was completed, ms; null if it was not. It stays completed
 * if the playlist grows later. A completion from before a reset, or of an earlier occurrence, is of
 * an earlier attempt. An earlier completion that counts for the assignment keeps its own time.
 */
export function findCompletion(facts: readonly TaskFact[]): number | null {
  const lastTimeOf = (kind: TaskFact['kind']) => facts.findLast(fact => fact.kind === kind)?.at ?? never
  const assignment = facts.findLast(({ kind }) => kind === 'assigned')
  const assignedAt = assignment?.at ?? never
  const resetAt = Math.max(lastTimeOf('reset'), lastTimeOf('recurred'))
  const earlier = assignment?.earlierCompletion
  if (earlier?.counts && resetAt < assignedAt) return earlier.completedAt
  const isOfThisAttempt = (fact: TaskFact) => resetAt < assignedAt || (fact.resetAt ?? never) >= resetAt
  const completion = facts.find(fact => fact.kind === 'completed' && fact.at >= assignedAt && isOfThisAttempt(fact))
  return completion?.at ?? null
}

const never = Number.NEGATIVE_INFINITY

/** `indexOf` gives the index of a person in the record. */
export function presentAssignmentPeriod(
  period: AssignmentPeriod,
  indexOf: (personId: string | null) => number | null,
): RecordedAssignment {
  return {
    assigned_at: isoTime(period.assignedAt),
    assigned_by: indexOf(period.assignedBy),
    due: period.due,
    ...presentRecurrence(period.recurrence),
    ...(period.conditions && { conditions: period.conditions }),
    due_changes: period.dueChanges.map(({ at, by, due, recurrence, conditions, reason }, index) => ({
      at: new Date(at).toISOString(),
      by: indexOf(by),
      due,
      ...presentRecurrence(recurrence),
      ...(hasNewConditions(period, index) && { conditions }),
      ...(reason && { reason: toPrintable(reason) }),
    })),
    ended_at: isoTime(period.endedAt),
    ended_by: indexOf(period.endedBy),
    ...(period.endCause && { ended_cause: period.endCause }),
  }
}

/** Whether a change is one of the conditions, or the task has others than the default ones. */
function hasNewConditions({ conditions: first, dueChanges }: AssignmentPeriod, index: number): boolean {
  const before = dueChanges.slice(0, index).findLast(({ conditions }) => conditions !== undefined)
  const { conditions } = dueChanges[index]!
  return conditions !== undefined && (conditions !== null || (before ? before.conditions : first) !== null)
}

function presentRecurrence(recurrence: Recurrence | null) {
  return recurrence ? { recurrence } : {}
}
