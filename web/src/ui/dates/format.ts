import { createTimeFormat } from './time-format.ts'

const minuteS = 60
const hourS = 3600

/**
 * Seconds as hours and minutes, truncated: `1h 05m`, `5m`. Below an hour the seconds are shown, so
 * that a short time does not read as zero: `3m 33s`, `36 s`, `0 s`.
 */
export function formatDuration(seconds: number): string {
  if (seconds <= 0) return '0 s'
  if (seconds < minuteS) return formatSeconds(seconds)
  const wholeSeconds = Math.floor(seconds)
  if (wholeSeconds < hourS) {
    const remainder = wholeSeconds % minuteS
    return `${Math.floor(wholeSeconds / minuteS)}m${remainder > 0 ? ` ${remainder}s` : ''}`
  }
  const minutes = Math.floor(wholeSeconds / minuteS)
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, '0')}m`
}

/**
 * A position in a video: `m:ss`, from an hour on `h:mm:ss`. Truncated, so that a position is never
 * ahead.
 */
export function formatPosition(seconds: number): string {
  const wholeSeconds = Number.isFinite(seconds) ? Math.max(0, Math.floor(seconds)) : 0
  const secondsText = String(wholeSeconds % 60).padStart(2, '0')
  const minutes = Math.floor(wholeSeconds / minuteS)
  if (wholeSeconds < hourS) return `${minutes}:${secondsText}`
  return `${Math.floor(wholeSeconds / hourS)}:${String(minutes % 60).padStart(2, '0')}:${secondsText}`
}

/** A short time: `36 s`. Not zero, because something was measured. */
function formatSeconds(seconds: number): string {
  return `${Math.max(1, Math.floor(seconds))} s`
}

/**
 * Watch time, which counts what was watched again: in minutes, truncated: `12 min`; below a minute
 * in seconds: `36 s`.
 */
export function formatWatchTime(seconds: number): string {
  if (seconds > 0 && seconds < minuteS) return formatSeconds(seconds)
  return `${Math.floor(seconds / minuteS)} min`
}

/**
 * The watched part of a length: `23 of 37 s watched`, `1m 30s of 5m watched`. Truncated, and an
 * incomplete part is always shorter than the length beside it.
 */
export function formatWatched(watched: number, total: number): string {
  const step = total >= hourS && watched >= hourS ? minuteS : 1
  const truncate = (seconds: number) => Math.floor((seconds + 0.01) / step) * step
  const shownTotal = Math.max(1, truncate(total))
  const isComplete = watched + 0.01 >= total
  const shown = isComplete ? truncate(watched) : Math.max(0, Math.min(truncate(watched), shownTotal - step))
  if (total < minuteS) return `${shown} of ${shownTotal} s watched`
  return `${formatDuration(shown)} of ${formatDuration(shownTotal)} watched`
}

/** Truncated, not rounded: an incomplete value never reads as complete. */
export function formatPercent(rate: number): string {
  return `${Math.floor(rate)}%`
}

/**
 * A number with separators of thousands. A small one is written without Intl, whose first use takes
 * tens of milliseconds on a phone.
 */
export function formatNumber(value: number): string
export function formatNumber(value: number | undefined): string | undefined
export function formatNumber(value: number | undefined): string | undefined {
  if (value === undefined) return undefined
  return Number.isInteger(value) && Math.abs(value) < 1_000 ? String(value) : value.toLocaleString()
}

/** A count with its noun: `1 video`, `3 videos`. */
export function formatCount(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(count)} ${count === 1 ? singular : plural}`
}

const localDate = createTimeFormat({ year: 'numeric', month: 'short', day: 'numeric' })

/**
 * The time from `time` to `now` (ms): `Just now`, `5m ago`, `3h ago`, then the local date. A future
 * time reads as now.
 */
export function formatRelativeTime(time: string, now: number): string {
  const timeMs = Date.parse(time)
  if (Number.isNaN(timeMs)) return ''
  const minutes = Math.floor((now - timeMs) / 60_000)
  if (minutes < 1) return 'Just now'
  if (minutes < 60) return `${minutes}m ago`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${hours}h ago`
  return localDate(timeMs)
}

/** The local date: `Nov 3, 2026`, or `3 Nov 2026` where people write the day first. */
export function formatDate(time: string): string {
  return localDate(Date.parse(time))
}

const exactTime = createTimeFormat({ dateStyle: 'medium', timeStyle: 'short' })

export function formatExactTime(time: string): string {
  return exactTime(Date.parse(time))
}

const maxInitialDigits = 3

/**
 * The initials of the first and the last word, for a person without a picture. The last digits of a
 * number at the end stay, because they tell people apart: "Trainee 12" is `T12`.
 */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean)
  const number = /\D(\d+)$/.exec(words.join(' '))?.[1]?.slice(-maxInitialDigits)
  const initialWords = words.length > 1 && !number ? [words[0], words.at(-1)] : words.slice(0, 1)
  return initialWords.map(word => [...(word ?? '')][0]?.toUpperCase() ?? '').join('') + (number ?? '')
}
