/*
 * The possible values of a stored field after several writes by one client, some of them
 * unanswered. Pure functions, so that tests cover the rules that the checks rely on.
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
 * No fault is long enough for an effect after this time, unless the machine is very slow.
 */
export const usualUnansweredMs = 20_000

/** The write that a call's attempts make. At most the last attempt was answered. */
export function makeWrite<V>(value: V, attempts: readonly Attempt[], unansweredMs = usualUnansweredMs): Write<V> {
  const last = attempts.at(-1)!
  const effectEnds = attempts.map(({ sentAt, endedAt, status }) =>
    isUndecided(status) ? sentAt + unansweredMs : endedAt,
  )
  return {
    value,
    from: attempts[0]!.sentAt,
    until: Math.max(...effectEnds),
    acknowledged: isAcknowledged(last.status),
  }
}

/**
 * The values the field may have in the end: of writes that no acknowledged write certainly
 * followed.
 */
export function possibleValues<V>(writes: readonly Write<V>[]): V[] {
  const isOverwritten = (write: Write<V>) => writes.some(later => later.acknowledged && later.from > write.until)
  return writes.filter(write => !isOverwritten(write)).map(write => write.value)
}

/** One action of a login session on the monitoring lock. */
export interface LockAction {
  sid: string
  kind: 'acquire' | 'use' | 'release'
  attempts: readonly Attempt[]
}

/**
 * Acknowledged uses of the lock while another session certainly owned it. The owner acquired the
 * lock before the use was sent, and did not release it before the use was answered. Unanswered
 * calls may have changed the owner, so they count against certainty.
 */
export function findUsesWithoutLock(
  actions: readonly LockAction[],
  unansweredMs = usualUnansweredMs,
): { use: LockAction; owner: LockAction }[] {
  const effects = actions.map(action => ({ action, ...makeWrite(action.sid, action.attempts, unansweredMs) }))
  const acquisitions = effects.filter(({ action }) => action.kind === 'acquire')
  const releases = effects.filter(({ action }) => action.kind === 'release')
  const violations: { use: LockAction; owner: LockAction }[] = []
  for (const use of effects) {
    if (use.action.kind !== 'use' || !use.acknowledged) continue
    // Only the answered attempt had an effect.
    const { sentAt, endedAt } = use.action.attempts.at(-1)!
    const acquisition = acquisitions.find(candidate => {
      const mayFollow = (later: Write<string>) => later.until > candidate.from && later.from < endedAt
      return (
        candidate.acknowledged &&
        candidate.value !== use.value &&
        candidate.until < sentAt &&
        // No other session may have acquired the lock afterwards …
        !acquisitions.some(later => later.value !== candidate.value && mayFollow(later)) &&
        // … and its owner did not release it.
        !releases.some(release => release.value === candidate.value && mayFollow(release))
      )
    })
    if (acquisition) violations.push({ use: use.action, owner: acquisition.action })
  }
  return violations
}
