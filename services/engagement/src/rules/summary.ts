import { limits } from '@watchline/contracts/limits'
import { completionRate, isComplete, isKnownDuration } from './completion.ts'
import { clip, gaps, type Intervals } from './intervals.ts'
import { type Note, type NoteCode, noteCodes, type VideoWatch } from './watch-state.ts'

export interface IntegrityNote extends Note {
  code: NoteCode
  words: string
}

/** The figures of one person and one video for every screen, export and notification. */
export interface WatchSummary {
  /** 0 to 100, to one decimal. At least limits.completedRate exactly when completed. */
  completionRate: number
  /** Seconds credited, repetitions included. */
  watchTime: number
  watched: Intervals
  /** Parts still to watch. Parts too short to play are left out while there are longer ones. */
  missing: Intervals
  notes: IntegrityNote[]
  completed: boolean
  /** ms */
  completedAt: number | null
}

/** Every figure that people see comes from here. `duration` is the current one; null if unknown. */
export function summarise(video: VideoWatch | undefined, duration: number | null): WatchSummary {
  const intervals = video?.intervals ?? []
  const completedAt = video?.completedAt ?? null
  const completed = completedAt !== null || isComplete(intervals, duration)
  const missing = isKnownDuration(duration) ? gaps(intervals, 0, duration) : []
  const longer = missing.filter(([from, to]) => to - from >= limits.jointToleranceS)
  return {
    completionRate: roundRate(completionRate(intervals, duration), completed),
    watchTime: video ? watchTimeOf(video) : 0,
    watched: isKnownDuration(duration) ? clip(intervals, 0, duration) : intervals,
    missing: longer.length > 0 || completed ? longer : missing,
    notes: noteCodes.flatMap(code => {
      const note = video?.notes[code]
      return note
        ? [{ code, times: note.times, seconds: roundToTenth(note.seconds), words: describeNote(code, note) }]
        : []
    }),
    completed,
    completedAt,
  }
}

/**
 * Rounding never reaches the rate that counts as completed. A completed video that grows longer
 * keeps that rate, because clients recognise completion by it.
 */
export function roundRate(rate: number, completed: boolean): number {
  if (completed) return Math.max(limits.completedRate, roundToTenth(rate))
  return Math.min(roundToTenth(rate), limits.completedRate - 0.1)
}

/**
 * Ranges as answers and files show them: in hundredths of a second, which is finer than a screen.
 */
export function roundRanges(ranges: Intervals): [number, number][] {
  return ranges.map(([from, to]) => [roundToHundredth(from), roundToHundredth(to)])
}

export function roundToHundredth(value: number): number {
  return Math.round(value * 100) / 100
}

/** Seconds credited, repetitions excluded: the sum of the ranges as they are shown. */
export function creditedSeconds(ranges: Intervals): number {
  let hundredths = 0
  for (const [from, to] of ranges) hundredths += Math.round(to * 100) - Math.round(from * 100)
  return hundredths / 100
}

/**
 * Seconds credited, repetitions included. In hundredths like the credited ranges. Rounding never
 * makes it less than their sum, which has no repetitions.
 */
export function watchTimeOf({ watchTime, intervals }: Pick<VideoWatch, 'watchTime' | 'intervals'>): number {
  return Math.max(roundToHundredth(watchTime), creditedSeconds(intervals))
}

/** Adds whole hundredths, so that the sum has no rounding error. */
export function sumHundredths(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + Math.round(value * 100), 0) / 100
}

export function roundToTenth(value: number): number {
  return Math.round(value * 10) / 10
}

export function describeNote(code: NoteCode, { times, seconds }: Note): string {
  const length = formatMinutes(seconds)
  const frequency = times === 1 ? 'once' : `${times} times`
  switch (code) {
    case 'skipped':
      return `Jumped ahead ${frequency}, over ${length}`
    case 'too_fast':
      return `${length} reported faster than they could be watched`
    case 'hidden':
      return `${length} played where nobody could see it`
    case 'elsewhere':
      return `${length} reported ${frequency} without the monitored session`
    case 'unanswered':
      return `Attention checks: ${frequency} without an answer in time`
  }
}

/** Minutes and seconds: `1:05`. */
export function formatMinutes(seconds: number): string {
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

/** A time in ms as ISO 8601. */
export function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
