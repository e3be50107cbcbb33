import { type Conditions, conditionsOf } from '@watchline/contracts/conditions'
import type { EndedOccurrence as PresentedOccurrence, PresentOccurrence } from '@watchline/contracts/engagement'
import type { DueDate } from '@watchline/contracts/fields'
import type { Recurrence } from '@watchline/contracts/recurrence'
import { isoTime } from '../summary.ts'
import { type EarlierCompletion, findLastTerms, type TaskFact } from './task-history.ts'

/** An occurrence of a recurring task that has ended. Instants are in ms. */
export interface EndedOccurrence {
  due: DueDate
  /** The end of the grace period of the due date; null without one. */
  graceUntil: number | null
  /** It passed without opening, because no replica was running. */
  isSkipped: boolean
  /** Null if it was skipped, or if versions before records did not keep the assignment. */
  openedAt: number | null
  endedAt: number
  outcome: PresentedOccurrence['outcome']
  closedAt: number | null
  /** The time at which a completion of it expires; null if it does not. */
  validUntil: number | null
  /** Those of its completion, or at its end; null for the default ones. */
  conditions: Conditions | null
}

type Closing = Pick<EndedOccurrence, 'outcome' | 'closedAt'> & Partial<Pick<EndedOccurrence, 'conditions'>>

/** The instant, in ms, of the due date that follows; null without one. */
export type FindNextDue = (recurrence: Recurrence, due: DueDate, closedAt: number | null) => number | null

/** The ended occurrences of a task, oldest first; empty if it does not repeat. */
export function listOccurrences(facts: readonly TaskFact[]): EndedOccurrence[] {
  const ended: EndedOccurrence[] = []
  let closing: Closing = notClosed
  /** That of an earlier completion. Undefined: the next due date. */
  let ownExpiry: number | null | undefined
  let openedAt: number | null = null
  /** Null in the first occurrence of an assignment. */
  let recurredAt: number | null = null
  let resetAt = Number.NEGATIVE_INFINITY
  let conditions: Conditions | null = null
  for (const fact of facts) {
    const { kind, at, due, previousDue, graceUntil = null, skipped } = fact
    if (kind === 'completed') {
      const completion = { outcome: 'completed', closedAt: at } as const
      const last = ended.findLast(occurrence => occurrence.openedAt !== null)
      const attemptStart = fact.resetAt ?? Number.NEGATIVE_INFINITY
      if (attemptStart >= resetAt) closing = { ...completion, conditions }
      // It was under way when the next occurrence opened. A completion from before a manual reset
      // belongs to the present occurrence, and the reset takes it back.
      else if (recurredAt !== null && attemptStart < recurredAt && last?.outcome === 'missed')
        Object.assign(last, completion)
    } else if (kind === 'exempt' || kind === 'mark_done') {
      const outcome = kind === 'exempt' ? 'exempt' : 'marked_done'
      if (closing.outcome !== 'completed') closing = { outcome, closedAt: at }
    } else if (kind === 'take_back') {
      if (closing.outcome !== 'completed') closing = notClosed
    } else if (kind === 'assigned' || kind === 'reset') {
      const earlier = fact.earlierCompletion
      if (earlier && previousDue)
        ended.push(endBeforeAssignment(earlier, { due: previousDue, graceUntil, openedAt, conditions, at }))
      closing = earlier?.counts ? { outcome: 'completed', closedAt: earlier.completedAt } : notClosed
      ownExpiry = earlier?.counts ? earlier.validUntil : undefined
      if (kind === 'assigned') {
        openedAt = at
        recurredAt = null
        conditions = null
      }
      resetAt = kind === 'reset' ? at : Number.NEGATIVE_INFINITY
    } else if (kind === 'due_changed') ownExpiry = undefined
    else if (kind === 'recurred' && previousDue && due) {
      const followingDues = [...skipped, due].map(following => Date.parse(following.at))
      ended.push({
        ...{ due: previousDue, graceUntil, isSkipped: false, openedAt, endedAt: at, conditions, ...closing },
        validUntil: ownExpiry === undefined ? followingDues[0]! : ownExpiry,
      })
      skipped.forEach((missed, index) => {
        const validUntil = followingDues[index + 1]!
        ended.push({
          ...{ due: missed, graceUntil: null, isSkipped: true, openedAt: null, endedAt: at, ...notClosed },
          ...{ validUntil, conditions },
        })
      })
      closing = notClosed
      ownExpiry = undefined
      openedAt = at
      recurredAt = at
      resetAt = at
    }
    // Those of a completion are the percentage that it met, and nothing else.
    if (kind !== 'completed' && fact.conditions !== undefined) conditions = fact.conditions
  }
  return ended
}

const notClosed = { outcome: 'missed', closedAt: null } as const

/** The completed occurrence that a new assignment from zero follows. */
function endBeforeAssignment(
  { completedAt, validUntil }: EarlierCompletion,
  { at, openedAt, ...rest }: Pick<EndedOccurrence, 'due' | 'graceUntil' | 'openedAt' | 'conditions'> & { at: number },
): EndedOccurrence {
  const completion = { outcome: 'completed', closedAt: completedAt, validUntil } as const
  return { ...rest, isSkipped: false, openedAt: openedAt ?? completedAt, endedAt: at, ...completion }
}

/** The open occurrence of a task; undefined if the task does not repeat or has ended. */
export function findPresentOccurrence(
  facts: readonly TaskFact[],
  present: { assignedAt: number | null } | undefined,
): PresentOccurrence | undefined {
  const terms = findLastTerms(facts)
  if (!present || !terms?.recurrence || !terms.due) return undefined
  const opening = facts.findLast(({ kind }) => kind === 'assigned' || kind === 'recurred')
  return { opened_at: isoTime(opening?.at ?? present.assignedAt), due: terms.due }
}

export function presentEndedOccurrence(occurrence: EndedOccurrence): PresentedOccurrence {
  const { due, openedAt, endedAt, outcome, closedAt, validUntil, conditions } = occurrence
  return {
    due,
    opened_at: isoTime(openedAt),
    ended_at: new Date(endedAt).toISOString(),
    outcome,
    closed_at: isoTime(closedAt),
    ...(outcome === 'completed' && validUntil !== null && { valid_until: new Date(validUntil).toISOString() }),
    ...(conditions && { conditions: conditionsOf(conditions) }),
  }
}

/**
 * The time at which the present completion expires, ms; null if it does not. An earlier completion
 * that counts for a new assignment keeps its expiry until the terms change.
 */
export function findExpiry(
  facts: readonly TaskFact[],
  completedAt: number | null,
  findNextDue: FindNextDue,
): number | null {
  if (completedAt === null) return null
  const terms = findLastTerms(facts)
  if (terms?.earlierCompletion?.counts) return terms.earlierCompletion.validUntil
  return terms?.recurrence && terms.due ? findNextDue(terms.recurrence, terms.due, completedAt) : null
}
