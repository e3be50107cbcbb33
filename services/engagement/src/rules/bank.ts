import { limits } from '@watchline/contracts/limits'
import { gaps, type Interval, insert, tolerance, totalLength, union } from './intervals.ts'
import { addNote, changeVideo, type WatchDraft } from './watch-draft.ts'
import { type Candidate, type LockInterval, stateBounds } from './watch-state.ts'

/*
 * A person's one bank. Lock intervals fill it, and it pays for candidates, oldest first.
 */

export interface CreditingRules {
  /** The bank gets elapsed time × this: the highest playback rate that is credited in full. */
  maxPlaybackRate: number
}

/**
 * The cost of a second of a task with a lower credited speed than the installation's. The bank
 * fills for the highest speed, before the task that it pays for is known. Undefined for 1.
 */
export function costOf(maxRate: number | null | undefined, { maxPlaybackRate }: CreditingRules): number | undefined {
  return maxRate && maxRate < maxPlaybackRate ? maxPlaybackRate / maxRate : undefined
}

/** False if the stored intervals already contain this one. */
export function isNewInformation(intervals: readonly LockInterval[], { fence, from, to }: LockInterval): boolean {
  return !intervals.some(stored => stored.fence === fence && stored.from <= from && stored.to >= to)
}

/** Time that overlaps other intervals fills the bank only once. */
export function addLockInterval(
  draft: WatchDraft,
  { fence, sid, from, to }: LockInterval,
  { maxPlaybackRate }: CreditingRules,
): void {
  const before = draft.lockIntervals.find(stored => stored.fence === fence)
  const interval: LockInterval = before
    ? { ...before, from: Math.min(before.from, from), to: Math.max(before.to, to) }
    : { fence, sid, from, to: Math.max(from, to) }
  const overlapping = draft.lockIntervals.filter(stored => stored.to > interval.from && stored.from < interval.to)
  const filled = union(
    [],
    overlapping.map((stored): Interval => [stored.from, stored.to]),
  )
  const newMs = totalLength(gaps(filled, Math.max(interval.from, draft.discardedUpTo), interval.to))
  draft.balance += (newMs / 1000) * maxPlaybackRate
  const intervals = [...draft.lockIntervals.filter(stored => stored.fence !== fence), interval].sort(
    (left, right) => left.fence - right.fence,
  )
  const discarded = intervals.slice(0, -stateBounds.lockIntervals)
  draft.lockIntervals = intervals.slice(discarded.length)
  draft.discardedUpTo = discarded.reduce((latest, { to }) => Math.max(latest, to), draft.discardedUpTo)
}

/**
 * Credits candidates, oldest first, until the bank is empty. The cap applies only afterwards,
 * because the candidates were there before the bank was full. The cap counts lock time, so that a
 * faster viewer loses no more by an outage than one at normal speed.
 */
export function payCandidates(draft: WatchDraft, now: number, { maxPlaybackRate }: CreditingRules): void {
  while (draft.candidates.length > 0) {
    const [candidate, ...remaining] = draft.candidates as readonly [Candidate, ...Candidate[]]
    const { key, from, to, cost = 1 } = candidate
    const available = (draft.balance + limits.overdraftS) / cost
    if (available <= tolerance) break
    const end = to - from <= available + tolerance ? to : from + available
    draft.balance -= (end - from) * cost
    credit(draft, key, [from, end], now)
    draft.candidates = end === to ? remaining : [{ ...candidate, from: end }, ...remaining]
  }
  draft.balance = Math.min(draft.balance, limits.maxBankS * maxPlaybackRate)
}

function credit(draft: WatchDraft, key: string, [from, to]: Interval, now: number): void {
  draft.credited += to - from
  changeVideo(draft, key, now, video => ({
    intervals: insert(video.intervals, [from, to]),
    watchTime: video.watchTime + (to - from),
  }))
}

/** A candidate that continues the newest one is merged with it. */
export function addCandidate(draft: WatchDraft, candidate: Candidate): void {
  const newest = draft.candidates.at(-1)
  draft.candidates =
    newest?.key === candidate.key && newest.to === candidate.from && newest.cost === candidate.cost
      ? [...draft.candidates.slice(0, -1), { ...newest, to: candidate.to }]
      : [...draft.candidates, candidate]
}

/**
 * Candidates wait for as much lock time as a bank can hold. Cuts the newest one down to the space
 * that is left, and notes the remaining seconds as too fast.
 */
export function dropOverflow(draft: WatchDraft, now: number, { maxPlaybackRate }: CreditingRules): void {
  const newest = draft.candidates.at(-1)
  if (!newest) return
  const seconds = newest.to - newest.from
  const older = draft.candidates.slice(0, -1)
  const olderCost = older.reduce((sum, { from, to, cost = 1 }) => sum + (to - from) * cost, 0)
  const spaceInBank = (limits.maxBankS * maxPlaybackRate - olderCost) / (newest.cost ?? 1)
  const space = draft.candidates.length > stateBounds.candidates ? 0 : spaceInBank
  const excess = seconds - space
  if (excess <= tolerance) return
  draft.candidates = space > tolerance ? [...older, { ...newest, to: newest.from + space }] : older
  addNote(draft, newest.key, 'too_fast', excess, now)
}
