import type { WatchEventType } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { isComplete, isKnown, readPosition } from './completion.ts'
import { gaps, type Interval, insert, length, same, union } from './intervals.ts'
import {
  type Anchor,
  bounds,
  type Candidate,
  type Hold,
  type NoteCode,
  type VideoWatch,
  type WatchState,
} from './watch-state.ts'

/*
 * Which watched seconds are believed. Reports of playback become candidates, candidates are credited from the person's one
 * bank, and the bank fills with the time the person held the monitoring lock. What must hold, whatever is reported: all credit
 * ever given ≤ time the lock was held × the allowed rate + limits.overdraftS. Source: the design's rules, "Watch time that can be
 * trusted". Every function is pure, gives back new state and shares with the old what did not change. Positions and lengths
 * are seconds, instants ms.
 */

export interface Report {
  /** What makes a repeat harmless; without it every call counts as new, which earns nothing more. */
  eventId: string | null
  sid: string
  key: string
  type: WatchEventType
  position: number
  rate: number
  clientTime: number | null
  /** The player says that nobody could see this part. */
  hidden?: boolean
}

/** What the server knows when it takes a report. */
export interface Known {
  now: number
  /** Who holds the person's lock now. */
  lock: { sid: string; fence: number; acquiredAt: number } | undefined
  /** Of the reported video; null when unknown. */
  duration: number | null
}

export interface Rules {
  /** The highest rate of playback that is credited in full: the bank fills with elapsed time × this. */
  maxPlaybackRate: number
}

export interface Effect {
  state: WatchState
  /** The event id was seen before: the state is the same object as before. */
  repeated: boolean
  /** The position is not in the video: the state is the same object as before. */
  refused: boolean
  /** Seconds credited now, also of what had waited. */
  credited: number
  /** Keys of the videos whose watch changed. */
  touched: string[]
  /** Keys of the videos that became complete now. */
  completed: string[]
}

/** Longer steps than this are no unbroken play, which reports every limits.playingEventS. No more could wait, either. */
const longestStepS = limits.maxBankS
const longestWaitS = limits.maxBankS

/**
 * Fills the bank with the time of a hold that has not been filled in yet, and credits what waited for it. For the lock as it
 * stands (`to` is now) and for `monitoring.stopped`, in any order, late and repeatedly.
 */
export function fill(state: WatchState, hold: Hold, now: number, rules: Rules): Effect {
  const draft = open(state)
  addHold(draft, hold, rules)
  settle(draft, now)
  return close(draft)
}

/** Takes one report of playback: fills the bank up to now, finds the candidate if there is one, and credits what it can. */
export function report(state: WatchState, given: Report, known: Known, rules: Rules): Effect {
  const { now, lock } = known
  if (given.eventId !== null && state.seen.includes(given.eventId)) return { ...unchanged(state), repeated: true }
  const position = given.type === 'playlist_completed' ? 0 : readPosition(given.position, known.duration)
  if (position === undefined) return { ...unchanged(state), refused: true }

  const draft = open(state)
  if (given.eventId !== null) draft.seen = [...state.seen, given.eventId].slice(-bounds.seen)
  if (lock) addHold(draft, { fence: lock.fence, sid: lock.sid, from: lock.acquiredAt, to: now }, rules)
  settle(draft, now)
  if (given.type !== 'playlist_completed') take(draft, { ...given, position }, known)
  return close(draft)
}

/** For a video whose duration became known or another. What was watched may complete it now; nothing is taken back. */
export function revise(state: WatchState, key: string, duration: number | null, now: number): Effect {
  if (!state.videos[key]) return unchanged(state)
  const draft = open(state)
  change(draft, key, now, () => ({ duration }))
  return close(draft)
}

/**
 * Whether reports of this session count: it holds the lock, or nobody does and it was the last that did. A report may arrive after
 * the release, and `monitoring.stopped` after the report: who gets false for a hold it cannot know yet should ask for it first.
 */
export function mayReport(state: Pick<WatchState, 'holds'>, sid: string, lock: Known['lock']): boolean {
  return (lock ?? state.holds.at(-1))?.sid === sid
}

interface Draft extends WatchState {
  videos: Record<string, VideoWatch>
  touched: Set<string>
  completed: string[]
  credited: number
}

function open(state: WatchState): Draft {
  return { ...state, videos: { ...state.videos }, touched: new Set(), completed: [], credited: 0 }
}

function unchanged(state: WatchState): Effect {
  return { state, repeated: false, refused: false, credited: 0, touched: [], completed: [] }
}

function close({ touched, completed, credited, ...state }: Draft): Effect {
  return { ...unchanged(state), credited, touched: [...touched], completed }
}

function addHold(draft: Draft, { fence, sid, from, to }: Hold, rules: Rules): void {
  const before = draft.holds.find(each => each.fence === fence)
  const hold: Hold = before
    ? { ...before, from: Math.min(before.from, from), to: Math.max(before.to, to) }
    : { fence, sid, from, to: Math.max(from, to) }
  const near = draft.holds.filter(each => each.to > hold.from && each.from < hold.to)
  const filled = union(
    [],
    near.map((each): Interval => [each.from, each.to]),
  )
  const fresh = length(gaps(filled, Math.max(hold.from, draft.forgottenTo), hold.to))
  draft.balance += (fresh / 1000) * rules.maxPlaybackRate
  const holds = [...draft.holds.filter(each => each.fence !== fence), hold].sort(
    (one, other) => one.fence - other.fence,
  )
  const forgotten = holds.slice(0, -bounds.holds)
  draft.holds = holds.slice(forgotten.length)
  draft.forgottenTo = forgotten.reduce((latest, each) => Math.max(latest, each.to), draft.forgottenTo)
}

/** Credits what waits, oldest first, as far as the bank goes. Only then is the bank capped: what waited would have been first. */
function settle(draft: Draft, now: number): void {
  while (draft.waiting.length > 0) {
    const [{ key, from, to }, ...rest] = draft.waiting as readonly [Candidate, ...Candidate[]]
    const available = draft.balance + limits.overdraftS
    if (available <= same) break
    const end = to - from <= available + same ? to : from + available
    credit(draft, key, [from, end], now)
    draft.waiting = end === to ? rest : [{ key, from: end, to }, ...rest]
  }
  draft.balance = Math.min(draft.balance, limits.maxBankS)
}

function credit(draft: Draft, key: string, [from, to]: Interval, now: number): void {
  draft.balance -= to - from
  draft.credited += to - from
  change(draft, key, now, video => ({
    intervals: insert(video.intervals, [from, to]),
    watchTime: video.watchTime + (to - from),
  }))
}

function take(draft: Draft, given: Report, { now, lock, duration }: Known): void {
  const { key, sid, type, position, rate } = given
  change(draft, key, now, video => ({ lastReportAt: now, duration: isKnown(duration) ? duration : video.duration }))

  const clientTime = given.clientTime !== null && Number.isFinite(given.clientTime) ? given.clientTime : null
  const anchor = draft.anchors.find(each => each.key === key && each.sid === sid)
  const here: Anchor = { key, sid, position, rate, clientTime, serverTime: now }
  if (anchor && type !== 'play' && isStraggler(anchor, here)) return

  const begins = type === 'play' || !anchor
  if (begins && mayReport(draft, sid, lock)) noteJump(draft, here, anchor !== undefined, now)
  change(draft, key, now, () => ({ reached: position }))

  const others = draft.anchors.filter(each => each !== anchor)
  const goesOn = type === 'play' || type === 'playing'
  draft.anchors = goesOn ? [...others, here].slice(-bounds.anchors) : others

  const advance = anchor && type !== 'play' ? Math.max(0, position - anchor.position) : 0
  const played = anchor !== undefined && advance > same && isPlayed(anchor, here)
  if (!mayReport(draft, sid, lock)) {
    if (goesOn || played) note(draft, key, 'elsewhere', played ? advance : 0, now)
  } else if (played && given.hidden) note(draft, key, 'hidden', advance, now)
  else if (played) {
    wait(draft, { key, from: anchor.position, to: position })
    settle(draft, now)
    dropOverflow(draft, now)
  } else if (advance > same) note(draft, key, 'skipped', advance, now)
}

/**
 * A play that begins, or ends at once, further on than the last one came, past seconds that were never watched. A play that was left
 * open, as by a killed tab, may have gone on for as long as one report takes.
 */
function noteJump(draft: Draft, { key, position }: Anchor, leftOpen: boolean, now: number): void {
  const video = draft.videos[key]
  if (video?.reached === undefined || position <= video.reached) return
  const waiting = draft.waiting.filter(each => each.key === key).map(({ from, to }): Interval => [from, to])
  const jumped = length(gaps(union(video.intervals, waiting), video.reached, position))
  const allowed = limits.candidateToleranceS + (leftOpen ? limits.playingEventS : 0)
  if (jumped > allowed + same) note(draft, key, 'skipped', jumped, now)
}

/**
 * A report overtaken by a later one of the same play, as happens when a closing page sends all it has at once. The later one has
 * already said what this one says.
 */
function isStraggler(anchor: Anchor, here: Anchor): boolean {
  if (anchor.clientTime === null || here.clientTime === null) return false
  return here.clientTime < anchor.clientTime && here.position <= anchor.position
}

/** Whether the way from one report to the next can have been played. The client's clock says so, the server's where it is silent. */
function isPlayed(anchor: Anchor, here: Anchor): boolean {
  const elapsed =
    anchor.clientTime !== null && here.clientTime !== null
      ? here.clientTime - anchor.clientTime
      : Math.max(0, here.serverTime - anchor.serverTime)
  if (!(elapsed >= 0)) return false
  const playable = Math.min(elapsed / 1000, longestStepS) * Math.max(anchor.rate, here.rate)
  return here.position - anchor.position <= playable + limits.candidateToleranceS + same
}

/** At the end of the line; what goes on where the last one ended becomes one with it. */
function wait(draft: Draft, candidate: Candidate): void {
  const last = draft.waiting.at(-1)
  draft.waiting =
    last?.key === candidate.key && last.to === candidate.from
      ? [...draft.waiting.slice(0, -1), { ...last, to: candidate.to }]
      : [...draft.waiting, candidate]
}

/** What does not fit is dropped, the newest first. */
function dropOverflow(draft: Draft, now: number): void {
  const total = draft.waiting.reduce((sum, { from, to }) => sum + (to - from), 0)
  const newest = draft.waiting.at(-1)
  if (!newest) return
  const room = draft.waiting.length > bounds.waiting ? 0 : longestWaitS - (total - (newest.to - newest.from))
  const excess = newest.to - newest.from - room
  if (excess <= same) return
  const rest = draft.waiting.slice(0, -1)
  draft.waiting = room > same ? [...rest, { ...newest, to: newest.from + room }] : rest
  note(draft, newest.key, 'too_fast', excess, now)
}

function note(draft: Draft, key: string, code: NoteCode, seconds: number, now: number): void {
  change(draft, key, now, ({ notes }) => {
    const before = notes[code] ?? { times: 0, seconds: 0 }
    return { notes: { ...notes, [code]: { times: before.times + 1, seconds: before.seconds + seconds } } }
  })
}

function change(draft: Draft, key: string, now: number, changed: (video: VideoWatch) => Partial<VideoWatch>): void {
  const before = draft.videos[key] ?? newWatch(now)
  const video = { ...before, ...changed(before) }
  if (video.completedAt === null && isComplete(video.intervals, video.duration)) {
    video.completedAt = now
    draft.completed.push(key)
  }
  draft.videos[key] = video
  draft.touched.add(key)
}

function newWatch(now: number): VideoWatch {
  return { intervals: [], watchTime: 0, duration: null, notes: {}, completedAt: null, lastReportAt: now }
}
