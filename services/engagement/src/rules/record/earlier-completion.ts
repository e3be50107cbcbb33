import { type Conditions, conditionsOf } from '@watchline/contracts/conditions'
import type { DueDate } from '@watchline/contracts/fields'
import type { Recurrence } from '@watchline/contracts/recurrence'
import { findLastVideoCompletion, isPlaylistComplete } from '../overview.ts'
import type { Playlist } from '../playlist.ts'
import type { Watches } from '../watch-state.ts'
import { type FindNextDue, findExpiry } from './occurrences.ts'
import type { EarlierCompletion, TaskFact } from './task-history.ts'

/** A new assignment of a playlist. `at` is in ms. */
export interface NewAssignment {
  at: number
  due: DueDate | null
  recurrence: Recurrence | null
  requiredPercent: number
}

/** All that is known of a person and a playlist before the event of a new assignment. */
export interface PastAttempt {
  playlistId: string
  /** Undefined if it is unknown. */
  playlist: Playlist | undefined
  watches: Watches
  /** The playlist is completed, and cannot be completed again in this attempt. */
  isCompleted: boolean
  /** The start of the attempt, ms; undefined of the first one. */
  resetAt: number | undefined
  /** Of this playlist, oldest first. */
  facts: readonly TaskFact[]
}

/** The effect of an earlier completion on a new assignment. */
export type EarlierCompletionEffect =
  /** It counts. */
  | { kind: 'completed'; completion: EarlierCompletion }
  /**
   * The assignment starts from zero. `ended` is null if the occurrence before was open, or had no
   * due date.
   */
  | { kind: 'restarted'; completion: EarlierCompletion; ended: EndedTerms | null }
  /** Its percentage is too low, and so is what was watched. The watch credit stays. */
  | { kind: 'below_percent' }

/** The terms of a completed occurrence that ends with a new assignment. */
export interface EndedTerms {
  due: DueDate
  conditions: Conditions | null
}

/**
 * Returns the effect of the present attempt’s completion on a new assignment. It counts until it
 * expires by the terms under which it was reached, and by the new ones. Undefined if there is none,
 * or if the event of the assignment is late.
 */
export function judgeEarlierCompletion(
  attempt: PastAttempt,
  assignment: NewAssignment,
  findNextDue: FindNextDue,
): EarlierCompletionEffect | undefined {
  const { playlistId, playlist, watches, facts } = attempt
  const attemptStart = attempt.resetAt ?? never
  const completions = facts.filter(({ kind, resetAt }) => kind === 'completed' && (resetAt ?? never) >= attemptStart)
  // Versions before records kept no facts.
  const completedAt =
    completions.at(-1)?.at ?? (attempt.isCompleted ? findLastVideoCompletion(watches, playlistId) : undefined)
  if (completedAt === undefined || isLate(attempt, assignment, completedAt)) return undefined
  const ofCompletion = facts.slice(0, findEndOfTerms(facts, completedAt))
  const terms = ofCompletion.findLast(({ kind }) => termsKinds.has(kind))
  const validUntil = findExpiry(ofCompletion, completedAt, findNextDue)
  const counts = isValid({ completedAt, validUntil, due: terms?.due ?? null }, assignment, findNextDue)
  const completion = { completedAt, validUntil, counts }
  if (!counts) {
    const named = ofCompletion.findLast(fact => termsKinds.has(fact.kind) && fact.conditions !== undefined)
    const ended = attempt.isCompleted && terms?.due ? { due: terms.due, conditions: named?.conditions ?? null } : null
    return { kind: 'restarted', completion, ended }
  }
  const { requiredPercent } = assignment
  const isHighEnough =
    findMetPercent(completions) >= requiredPercent ||
    (playlist !== undefined && isPlaylistComplete(playlist, watches, requiredPercent))
  return isHighEnough ? { kind: 'completed', completion } : { kind: 'below_percent' }
}

const never = Number.NEGATIVE_INFINITY
const termsKinds: ReadonlySet<TaskFact['kind']> = new Set(['assigned', 'due_changed', 'recurred'])

/** The completion is of the assignment itself, or a reset or another assignment came after it. */
function isLate({ resetAt = never, facts }: PastAttempt, { at }: NewAssignment, completedAt: number): boolean {
  const isNewer = (fact: TaskFact) => (fact.kind === 'assigned' || fact.kind === 'unassigned') && fact.at > at
  return completedAt >= at || resetAt >= at || facts.some(isNewer)
}

/** The highest percentage that a completion met. Those without a fact met the default one. */
function findMetPercent(completions: readonly TaskFact[]): number {
  const conditions = completions.length > 0 ? completions.map(completion => completion.conditions) : [null]
  return Math.max(...conditions.map(met => conditionsOf(met).required_percent))
}

/** The index of the first assignment for which the completion did not count. */
function findEndOfTerms(facts: readonly TaskFact[], completedAt: number): number {
  const end = facts.findIndex(
    ({ kind, at, earlierCompletion }) => kind === 'assigned' && at > completedAt && !earlierCompletion?.counts,
  )
  return end < 0 ? facts.length : end
}

/**
 * Whether the completion is valid at the assignment, by the terms under which it was reached and by
 * the new ones. Of a series of due dates, it must also last beyond the new due date. Otherwise it
 * is the completion of an earlier one, and the person would skip an occurrence.
 */
function isValid(
  {
    completedAt,
    validUntil,
    due: previousDue,
  }: { completedAt: number; validUntil: number | null; due: DueDate | null },
  { at, due, recurrence }: NewAssignment,
  findNextDue: FindNextDue,
): boolean {
  const ownExpiry = validUntil ?? Number.POSITIVE_INFINITY
  if (ownExpiry <= at) return false
  if (!recurrence || !due || (recurrence.from === 'due_date' && isSameInstant(previousDue, due))) return true
  const period = findNextDue({ ...recurrence, from: 'completion' }, due, completedAt) ?? Number.POSITIVE_INFINITY
  return recurrence.from === 'completion' ? period > at : Math.min(period, ownExpiry) > Date.parse(due.at)
}

function isSameInstant(left: DueDate | null, right: DueDate): boolean {
  return left !== null && Date.parse(left.at) === Date.parse(right.at)
}
