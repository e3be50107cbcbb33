import type { TaskFact } from './task-history.ts'

/** The outbox keeps an event for as long, so that it can be published again. */
const eventWaitMs = 3 * 24 * 3600_000

/** Two beginnings of a completed attempt, in ms; null if there is none. */
export interface AttemptBeginnings {
  /** That of the present assignment. */
  assignedAt: number | null
  /** That of the latest reset or occurrence. */
  resetAt: number | null
}

/**
 * Whether an event that began the attempt may still be on its way, because the history does not
 * have it. Older events are lost, or of versions before records.
 */
export function isBeginningAwaited(
  facts: readonly TaskFact[],
  { assignedAt, resetAt }: AttemptBeginnings,
  now: number,
): boolean {
  const isAwaited = (at: number | null, isSuch: (fact: TaskFact) => boolean) =>
    at !== null && now - at < eventWaitMs && !facts.some(fact => isSuch(fact) && fact.at >= at)
  return isAwaited(assignedAt, ({ kind }) => kind === 'assigned') || isAwaited(resetAt, beginsAttempt)
}

/** Whether another attempt began after a completion. `completedAt` is in ms. */
export function isReplacedAfter(facts: readonly TaskFact[], completedAt: number): boolean {
  return facts.some(fact => beginsAttempt(fact) && fact.at > completedAt)
}

function beginsAttempt({ kind }: TaskFact): boolean {
  return kind === 'assigned' || kind === 'reset' || kind === 'recurred'
}
