import type { TaskFact } from './task-history.ts'

/**
 * A certificate waits at most this long for the event that began its attempt, counted from the time
 * of the event. The outbox keeps an event for as long, so that it can be published again.
 */
const eventWaitMs = 3 * 24 * 3600_000

/** When a completed attempt can have begun, in ms. */
export interface AttemptStart {
  /** The time of the present assignment; null without one. */
  assignedAt: number | null
  /** The time of the latest reset or occurrence; null without one. */
  resetAt: number | null
}

/**
 * Whether the event that began the attempt may still be on its way: the history does not have it
 * yet, and the expiry of a certificate depends on it. Older events are lost, or of versions before
 * records.
 */
export function mustAwaitStartEvent(
  facts: readonly TaskFact[],
  { assignedAt, resetAt }: AttemptStart,
  now: number,
): boolean {
  const isMissing = (at: number | null, isStart: (fact: TaskFact) => boolean) =>
    at !== null && now - at < eventWaitMs && !facts.some(fact => isStart(fact) && fact.at >= at)
  return isMissing(assignedAt, ({ kind }) => kind === 'assigned') || isMissing(resetAt, beginsAttempt)
}

/**
 * Whether a completion belongs to an earlier attempt. It may come after the reset that ended its
 * attempt, by late reports: `resetAt` is the latest reset that it comes after. Times in ms.
 */
export function isOfEarlierAttempt(
  facts: readonly TaskFact[],
  { completedAt, resetAt }: { completedAt: number; resetAt: number | null },
): boolean {
  const assignments = facts.filter(({ kind, at }) => kind === 'assigned' && at <= completedAt)
  const startedAt = Math.max(...assignments.map(({ at }) => at), resetAt ?? Number.NEGATIVE_INFINITY)
  return facts.some(({ kind, at }) => (kind === 'assigned' && at > completedAt) || (isReset(kind) && at > startedAt))
}

const beginsAttempt = ({ kind }: TaskFact) => kind === 'assigned' || isReset(kind)
const isReset = (kind: TaskFact['kind']) => kind === 'reset' || kind === 'recurred'
