import type { Intervals } from './intervals.ts'

// Plain JSON throughout. Positions and lengths are seconds, instants are ms.

/** An unbroken time in which one login session owned the lock under one fencing token. */
export interface LockInterval {
  fence: number
  sid: string
  from: number
  to: number
}

/** The last report of a play that no later event has interrupted. */
export interface Anchor {
  key: string
  sid: string
  position: number
  rate: number
  clientTime: number | null
  serverTime: number
}

/** Played seconds of a video that the bank does not cover yet. */
export interface Candidate {
  key: string
  from: number
  to: number
  /** Seconds of the bank for each second; absent for 1. */
  cost?: number
}

export const noteCodes = ['skipped', 'too_fast', 'hidden', 'elsewhere', 'unanswered'] as const
export type NoteCode = (typeof noteCodes)[number]

/** How often seconds were refused for one reason, and how many seconds of video in total. */
export interface Note {
  times: number
  seconds: number
}

/**
 * How one person watched one video of one playlist. The store writes these field names, except
 * `publishedNotes`: they must not change.
 */
export interface VideoWatch {
  intervals: Intervals
  /** All seconds ever credited, repetitions included. */
  watchTime: number
  /** The duration at the last report; null while unknown. */
  duration: number | null
  notes: Partial<Record<NoteCode, Note>>
  /** How many notes of each code events have published, and when the last event was. */
  publishedNotes?: { at: number; times: Partial<Record<NoteCode, number>> }
  /** Never changes once it is set. */
  completedAt: number | null
  lastReportAt: number
  /** The position of the latest report, to detect a jump between two plays. */
  reached?: number
  /**
   * The credited seconds over time, oldest first. Absent in watching that earlier versions stored.
   */
  creditHistory?: readonly CreditPoint[]
}

/** Credited seconds of a video, repetitions excluded, from an instant (ms) on. */
export type CreditPoint = readonly [at: number, seconds: number]

/** By {@link videoKey}. */
export type Watches = Readonly<Record<string, VideoWatch>>

/** An attention check that waits for an answer. */
export interface OpenCheck {
  id: string
  /** The video that was playing. */
  key: string
  askedAt: number
  answerUntil: number
  /** The missing answer is already a note. */
  noted: boolean
  /** The player has the check. Absent until then, and in checks that earlier versions stored. */
  delivered?: boolean
}

/** The attention checks of a person, in all tasks that have them. */
export interface Attention {
  /** Credited seconds since the latest check. */
  watched: number
  /** The next check comes after this many credited seconds. */
  askAfter: number
  open?: OpenCheck
  /** The id of the check that was answered last, to recognise a repeated answer. */
  answeredId?: string
}

/** All that crediting knows of one person. */
export interface WatchState {
  /** Seconds in the bank, −limits.overdraftS to limits.maxBankS × the highest credited speed. */
  balance: number
  /** In the order of fencing tokens. */
  lockIntervals: readonly LockInterval[]
  /** Lock intervals up to this instant are discarded. Their time never fills the bank again. */
  discardedUpTo: number
  /** Oldest first. */
  candidates: readonly Candidate[]
  anchors: readonly Anchor[]
  /** Latest last. */
  seenEventIds: readonly string[]
  /** Must contain every stored video that a transition touches. May lack the others. */
  videos: Watches
  /** The latest reset of playlists, ms, by playlist id. Absent without one. */
  resets?: Readonly<Record<string, number>>
  /** Absent without a task that has attention checks. */
  attention?: Attention
}

/**
 * Limits that keep a person's state small, because every report reads and writes it. Past them
 * seconds may stay uncredited, but never too many are credited. A player sends its reports one at
 * a time, so a repeated event id is among the last few.
 */
export const stateBounds = { lockIntervals: 32, anchors: 16, seenEventIds: 64, candidates: 200 } as const

export const emptyState: WatchState = {
  balance: 0,
  lockIntervals: [],
  discardedUpTo: 0,
  candidates: [],
  anchors: [],
  seenEventIds: [],
  videos: {},
}

/** Identifies a video of a playlist within a person's state. Fit to be a MongoDB field name. */
export function videoKey(playlistId: string, videoId: string): string {
  return `${playlistId}:${videoId.replaceAll('.', '%2E')}`
}

/** The key of a watch that a reset moved to the history; `endedAt` is the time of the reset, ms. */
export function earlierVideoKey(key: string, endedAt: number): string {
  const colon = key.indexOf(':')
  return `${key.slice(0, colon)}~${endedAt}${key.slice(colon)}`
}

/** Whether the key is that of an earlier attempt at the playlist. */
export function isEarlierKey(key: string, playlistId: string): boolean {
  return key.startsWith(`${playlistId}~`)
}

/** `endedAt` is null for the present attempt. Ids contain no tilde. */
export function readVideoKey(key: string): { playlistId: string; videoId: string; endedAt: number | null } {
  const colon = key.indexOf(':')
  const [playlistId = '', endedAt] = key.slice(0, colon).split('~')
  return {
    playlistId,
    videoId: key.slice(colon + 1).replaceAll('%2E', '.'),
    endedAt: endedAt === undefined ? null : Number(endedAt),
  }
}
