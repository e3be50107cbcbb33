import type { Intervals } from './intervals.ts'

// Plain JSON throughout. Positions and lengths are seconds, instants ms.

/** Of one login session, the time it is known to have held the lock under one fencing number: one unbroken stretch. */
export interface Hold {
  fence: number
  sid: string
  from: number
  to: number
}

/** The last report of a play that nothing has broken yet. */
export interface Anchor {
  key: string
  sid: string
  position: number
  rate: number
  clientTime: number | null
  serverTime: number
}

/** Played, by all that is known, and not yet covered by the bank. */
export interface Candidate {
  key: string
  from: number
  to: number
}

export const noteCodes = ['skipped', 'too_fast', 'hidden', 'elsewhere'] as const
export type NoteCode = (typeof noteCodes)[number]

/** How often something was not credited, and how many seconds of video that was. */
export interface Note {
  times: number
  seconds: number
}

/** What one person has watched of one video of one playlist. */
export interface VideoWatch {
  intervals: Intervals
  /** All seconds ever credited, repeats included. */
  watchTime: number
  /** As last known when something was reported; null while unknown. */
  duration: number | null
  notes: Partial<Record<NoteCode, Note>>
  /** How many of the notes others were told of, and when (ms): see integrity-news.ts. */
  told?: { at: number; times: Partial<Record<NoteCode, number>> }
  /** Set once, for good. */
  completedAt: number | null
  lastReportAt: number
  /** Where the latest report was, to tell a jump between two plays. */
  reached?: number
}

/** All that crediting knows of one person. */
export interface WatchState {
  /** Seconds in the bank, −limits.overdraftS to limits.maxBankS. */
  balance: number
  /** By fence, the latest last. */
  holds: readonly Hold[]
  /** Holds up to here were forgotten, and their time is never filled in again. */
  forgottenTo: number
  /** Oldest first. */
  waiting: readonly Candidate[]
  anchors: readonly Anchor[]
  /** Event ids, latest last. */
  seen: readonly string[]
  /** By {@link videoKey}. Those that a transition touches must be here if they exist; others may be left out. */
  videos: Readonly<Record<string, VideoWatch>>
}

/**
 * Bounds that keep a person's state small, as it is read and written with every report. Past them something may go uncredited, never
 * the other way round. A player sends its reports one at a time: of `seen`, a repeat is among the last few.
 */
export const bounds = { holds: 32, anchors: 16, seen: 64, waiting: 200 } as const

export const emptyState: WatchState = {
  balance: 0,
  holds: [],
  forgottenTo: 0,
  waiting: [],
  anchors: [],
  seen: [],
  videos: {},
}

/** The name of a video of a playlist within a person's state; fit to be a field of a MongoDB document. */
export function videoKey(playlistId: string, videoId: string): string {
  return `${playlistId}:${videoId.replaceAll('.', '%2E')}`
}

export function readVideoKey(key: string): { playlistId: string; videoId: string } {
  const colon = key.indexOf(':')
  return { playlistId: key.slice(0, colon), videoId: key.slice(colon + 1).replaceAll('%2E', '.') }
}
