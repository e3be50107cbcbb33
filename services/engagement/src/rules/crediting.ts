import type { WatchEventType } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { addCandidate, addLockInterval, type CreditingRules, costOf, dropOverflow, payCandidates } from './bank.ts'
import { clampPosition, isKnownDuration } from './completion.ts'
import { gaps, tolerance, totalLength } from './intervals.ts'
import { findPlayed, isReachable, type PlaylistOrder } from './skipping.ts'
import {
  addNote,
  type CreditingEffect,
  changeVideo,
  closeDraft,
  makeEmptyEffect,
  openDraft,
  type WatchDraft,
} from './watch-draft.ts'
import { type Anchor, type LockInterval, stateBounds, type WatchState } from './watch-state.ts'

/*
 * Decides which watched seconds are credited. Reports of playback become candidates, the person's
 * bank pays for candidates, and the time the person owned the monitoring lock fills the bank.
 * For any reports this must hold: all credit ever given ≤ time the lock was owned × the
 * allowed rate + limits.overdraftS. Tasks with a lower rate pay more for each second.
 * Source: the design's rules, "Watch time that can be trusted".
 * Every function is pure. Positions and lengths are seconds, instants are ms.
 */

/** The raw reports store it as it is: its field names must not change. */
export interface Report {
  /**
   * Makes a repetition harmless. A report without it always counts as new, which earns nothing
   * more.
   */
  eventId: string | null
  sid: string
  key: string
  type: WatchEventType
  position: number
  rate: number
  clientTime: number | null
  /** The player reports that this part was not visible. */
  hidden?: boolean
}

/** The server's knowledge when a report arrives. */
export interface WatchFacts {
  now: number
  /** The person's current monitoring lock. */
  lock: { sid: string; fence: number; acquiredAt: number } | undefined
  /** The start of the present attempt at the reported playlist, if the lock names one. */
  resetAt?: number | undefined
  /** Duration of the reported video; null if unknown. */
  duration: number | null
  /** The credited speed of the task; absent or null for that of the rules. */
  maxRate?: number | null
  /** Of a task without skipping ahead; absent if everything may be played. */
  order?: PlaylistOrder | undefined
}

/** A player reports every limits.playingEventS, so a longer step is not unbroken play. */
const maxStepS = limits.maxBankS

/**
 * Fills the bank with the new part of a lock interval and pays candidates. Serves the current lock
 * (`to` is now) and `monitoring.stopped`, in any order, late and repeated.
 */
export function fillBank(
  state: WatchState,
  interval: LockInterval,
  now: number,
  rules: CreditingRules,
): CreditingEffect {
  const draft = openDraft(state)
  addLockInterval(draft, interval, rules)
  payCandidates(draft, now, rules)
  return closeDraft(draft)
}

/** A report that arrives twice has the same event id: it changes nothing and earns nothing. */
export function isRepeatedReport(state: WatchState, { eventId }: Report): boolean {
  return eventId !== null && state.seenEventIds.includes(eventId)
}

/** Fills the bank up to now, finds the candidate if there is one, and pays candidates. */
export function applyReport(
  state: WatchState,
  report: Report,
  facts: WatchFacts,
  rules: CreditingRules,
): CreditingEffect {
  const { now, lock } = facts
  if (isRepeatedReport(state, report)) return { ...makeEmptyEffect(state), repeated: true }
  const position = report.type === 'playlist_completed' ? 0 : clampPosition(report.position, facts.duration)
  if (position === undefined) return { ...makeEmptyEffect(state), refused: true }

  const draft = openDraft(state)
  if (report.eventId !== null)
    draft.seenEventIds = [...state.seenEventIds, report.eventId].slice(-stateBounds.seenEventIds)
  if (lock) addLockInterval(draft, { fence: lock.fence, sid: lock.sid, from: lock.acquiredAt, to: now }, rules)
  payCandidates(draft, now, rules)
  if (report.type !== 'playlist_completed') applyPlayback(draft, { ...report, position }, facts, rules)
  return closeDraft(draft)
}

/** A new duration may complete a video. It never takes back a completion. */
export function reviseDuration(state: WatchState, key: string, duration: number | null, now: number): CreditingEffect {
  if (!state.videos[key]) return makeEmptyEffect(state)
  const draft = openDraft(state)
  changeVideo(draft, key, now, () => ({ duration }))
  return closeDraft(draft)
}

/**
 * Whether reports of this session count: it owns the lock, or no session does and it owned the lock
 * last. A report may come after the release and before `monitoring.stopped`. So a caller that gets
 * false must first resolve the lock intervals it may not know yet.
 */
export function isCreditedSession(
  state: Pick<WatchState, 'lockIntervals'>,
  sid: string,
  lock: WatchFacts['lock'],
): boolean {
  return (lock ?? state.lockIntervals.at(-1))?.sid === sid
}

function applyPlayback(
  draft: WatchDraft,
  report: Report,
  { now, lock, duration, maxRate, order }: WatchFacts,
  rules: CreditingRules,
): void {
  const { key, sid, type, position, rate } = report
  changeVideo(draft, key, now, video => ({
    lastReportAt: now,
    duration: isKnownDuration(duration) ? duration : video.duration,
  }))

  const clientTime = report.clientTime !== null && Number.isFinite(report.clientTime) ? report.clientTime : null
  const anchor = draft.anchors.find(previous => previous.key === key && previous.sid === sid)
  const current: Anchor = { key, sid, position, rate, clientTime, serverTime: now }
  if (anchor && type !== 'play' && isOvertaken(anchor, current)) return

  const isCounted = isCreditedSession(draft, sid, lock)
  const begins = type === 'play' || !anchor
  if (begins && isCounted) noteJump(draft, current, anchor !== undefined, now)
  changeVideo(draft, key, now, () => ({ reached: position }))

  const continues = type === 'play' || type === 'playing'
  const otherAnchors = draft.anchors.filter(previous => previous !== anchor)
  draft.anchors = continues ? [...otherAnchors, current].slice(-stateBounds.anchors) : otherAnchors

  const advance = anchor && type !== 'play' ? Math.max(0, position - anchor.position) : 0
  const isPlayed = anchor !== undefined && advance > tolerance && canBePlayed(anchor, current)
  if (!isCounted) {
    if (continues || (isPlayed && !hadLockLately(draft, sid, now)))
      addNote(draft, key, 'elsewhere', isPlayed ? advance : 0, now)
  } else if (isPlayed && report.hidden) addNote(draft, key, 'hidden', advance, now)
  else if (isPlayed && order && !isReachable(draft, key, anchor.position, order)) noteAhead(draft, key, advance, now)
  else if (isPlayed) {
    const cost = costOf(maxRate, rules)
    addCandidate(draft, { key, from: anchor.position, to: position, ...(cost && { cost }) })
    payCandidates(draft, now, rules)
    dropOverflow(draft, now, rules)
  } else if (advance > tolerance) addNote(draft, key, 'skipped', advance, now)
}

/**
 * A player that loses its lock to another device of the person learns it by its next heartbeat, and
 * ends its play. That is a change of device, and no signal.
 */
function hadLockLately({ lockIntervals }: WatchDraft, sid: string, now: number): boolean {
  const lately = now - limits.heartbeatMs - limits.playingEventS * 1_000
  return lockIntervals.some(interval => interval.sid === sid && interval.to >= lately)
}

/**
 * Notes a play that begins beyond the last position, past seconds that were never watched. An open
 * play, for example of a killed tab, may have continued for as long as one report takes.
 */
function noteJump(draft: WatchDraft, { key, position }: Anchor, isOpen: boolean, now: number): void {
  const video = draft.videos[key]
  if (video?.reached === undefined || position <= video.reached) return
  const jumped = totalLength(gaps(findPlayed(draft, key), video.reached, position))
  const allowed = limits.candidateToleranceS + (isOpen ? limits.playingEventS : 0)
  if (jumped > allowed + tolerance) addNote(draft, key, 'skipped', jumped, now)
}

/** The jump ahead is one note. Playback after it adds its seconds. */
function noteAhead(draft: WatchDraft, key: string, seconds: number, now: number): void {
  addNote(draft, key, 'skipped', seconds, now, draft.videos[key]?.notes.skipped ? 0 : 1)
}

/**
 * A later report of the same play arrived first. This happens when a closing page sends all its
 * reports at once. The later report already contains this one.
 */
function isOvertaken(anchor: Anchor, current: Anchor): boolean {
  if (anchor.clientTime === null || current.clientTime === null) return false
  return current.clientTime < anchor.clientTime && current.position <= anchor.position
}

/** Measured by the client's clock, or by the server's if the client sends no time. */
function canBePlayed(anchor: Anchor, current: Anchor): boolean {
  const elapsed =
    anchor.clientTime !== null && current.clientTime !== null
      ? current.clientTime - anchor.clientTime
      : Math.max(0, current.serverTime - anchor.serverTime)
  if (!(elapsed >= 0)) return false
  const playable = Math.min(elapsed / 1000, maxStepS) * Math.max(anchor.rate, current.rate)
  return current.position - anchor.position <= playable + limits.candidateToleranceS + tolerance
}
