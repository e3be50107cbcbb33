/*
 * The possible values of a stored field after several writes by one client, some of them unanswered.
 * Pure functions, so that tests cover the rules that the checks rely on.
 */

import { isAcknowledged, isUndecided } from '../shared/answers.ts'

/** One attempt of a call. Instants in ms. */
export interface Attempt {
  sentAt: number
  endedAt: number
  /** 0: no answer came. */
  status: number
}

/** A write as its client observed it. Instants in ms. */
export interface Write<V> {
  value: V
  /** The earliest instant of its effect. */
  from: number
  /** The latest instant of its effect. */
  until: number
  acknowledged: boolean
}

/**
 * An unanswered attempt (or a 5xx answer) may still run, for example in a stopped process's buffer.
 * No fault is long enough for an effect after this time.
 */
export const unansweredMs = 20_000

/** The write that a call's attempts make. At most the last attempt was answered. */
export function writeOf<V>(value: V, tries: readonly Attempt[]): Write<V> {
  const last = tries.at(-1)!
  const until = tries.map(each => (isUndecided(each.status) ? each.sentAt + unansweredMs : each.endedAt))
  return {
    value,
    from: tries[0]!.sentAt,
    until: Math.max(...until),
    acknowledged: isAcknowledged(last.status),
  }
}

/** The values the field may have in the end: of writes that no acknowledged write certainly followed. */
export function possibleValues<V>(writes: readonly Write<V>[]): V[] {
  const overwritten = (write: Write<V>) => writes.some(other => other.acknowledged && other.from > write.until)
  return writes.filter(write => !overwritten(write)).map(write => write.value)
}

/** One action of a login session on the monitoring lock. */
export interface LockStep {
  sid: string
  what: 'take' | 'use' | 'release'
  tries: readonly Attempt[]
}

/**
 * Acknowledged uses of the lock while another session certainly owned it. That session had taken the
 * lock before the use was sent, and released it only after the use was answered, whatever the
 * unanswered calls did.
 */
export function usesWithoutLock(steps: readonly LockStep[]): { use: LockStep; holder: LockStep }[] {
  const known = steps.map(step => ({ step, ...writeOf(step.sid, step.tries) }))
  const takes = known.filter(({ step }) => step.what === 'take')
  const wrong: { use: LockStep; holder: LockStep }[] = []
  for (const use of known) {
    if (use.step.what !== 'use' || !use.acknowledged) continue
    // Only the answered attempt had an effect.
    const sentAt = use.step.tries.at(-1)!.sentAt
    const endedAt = use.step.tries.at(-1)!.endedAt
    const holder = takes.find(
      take =>
        take.acknowledged &&
        take.value !== use.value &&
        take.until < sentAt &&
        // No other session may have taken the lock afterwards …
        !takes.some(other => other.value !== take.value && other.until > take.from && other.from < endedAt) &&
        // … and its owner did not release it.
        !known.some(
          other =>
            other.step.what === 'release' &&
            other.value === take.value &&
            other.until > take.from &&
            other.from < endedAt,
        ),
    )
    if (holder) wrong.push({ use: use.step, holder: holder.step })
  }
  return wrong
}
