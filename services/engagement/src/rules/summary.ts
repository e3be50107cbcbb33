import { limits } from '@watchline/contracts/limits'
import { completionRate, isComplete, isKnown } from './completion.ts'
import { clip, gaps, type Intervals } from './intervals.ts'
import { type Note, type NoteCode, noteCodes, type VideoWatch } from './watch-state.ts'

export interface IntegrityNote extends Note {
  code: NoteCode
  words: string
}

/** What is said about one person and one video, everywhere: to the learner, the supervisor, in exports and notifications. */
export interface WatchSummary {
  /** 0 to 100, to one decimal. At least limits.completedRate exactly when completed. */
  completionRate: number
  /** Seconds credited, repeats included. */
  watchTime: number
  watched: Intervals
  /** What is still to be watched; pieces too short to be played alone are left out while there are longer ones. */
  missing: Intervals
  notes: IntegrityNote[]
  completed: boolean
  /** ms */
  completedAt: number | null
}

/** Shorter gaps come from the joints of playing, not from skipping. */
const shortestGapS = 1

/** The one function that feeds every surface. `duration` is what the server knows now; null when it does not. */
export function summarise(video: VideoWatch | undefined, duration: number | null): WatchSummary {
  const intervals = video?.intervals ?? []
  const completedAt = video?.completedAt ?? null
  const completed = completedAt !== null || isComplete(intervals, duration)
  const missing = isKnown(duration) ? gaps(intervals, 0, duration) : []
  const longer = missing.filter(([from, to]) => to - from >= shortestGapS)
  return {
    completionRate: shownRate(completionRate(intervals, duration), completed),
    watchTime: round(video?.watchTime ?? 0),
    watched: isKnown(duration) ? clip(intervals, 0, duration) : intervals,
    missing: longer.length > 0 || completed ? longer : missing,
    notes: noteCodes.flatMap(code => {
      const note = video?.notes[code]
      return note ? [{ code, times: note.times, seconds: round(note.seconds), words: inWords(code, note) }] : []
    }),
    completed,
    completedAt,
  }
}

/**
 * To one decimal, never up to the rate that counts as completed. What was completed stays so when the video grows longer; the rate,
 * by which clients tell, then stays at that mark.
 */
function shownRate(rate: number, completed: boolean): number {
  if (completed) return Math.max(limits.completedRate, round(rate))
  return Math.min(round(rate), limits.completedRate - 0.1)
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function inWords(code: NoteCode, { times, seconds }: Note): string {
  const length = minutes(seconds)
  const often = times === 1 ? 'once' : `${times} times`
  switch (code) {
    case 'skipped':
      return `Jumped ahead ${often}, over ${length}`
    case 'too_fast':
      return `${length} reported faster than they could be watched`
    case 'hidden':
      return `${length} played where nobody could see it`
    case 'elsewhere':
      return `${length} reported ${often} without the monitored session`
  }
}

function minutes(seconds: number): string {
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
