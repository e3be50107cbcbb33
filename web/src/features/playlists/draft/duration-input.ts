/**
 * Parses m:ss or h:mm:ss, with optional fractions of a second, into seconds. undefined for other
 * text.
 */
export function parseDuration(text: string): number | undefined {
  const match = /^(?:(\d{1,3}):)?(\d{1,4}):(\d{2}(?:\.\d{1,3})?)$/.exec(text.trim())
  if (!match) return undefined
  const [, hours, minutes, seconds] = match
  if (Number(seconds) >= 60) return undefined
  if (hours !== undefined && (Number(minutes) >= 60 || minutes?.length !== 2)) return undefined
  return Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds)
}

/**
 * Formats seconds as m:ss or h:mm:ss, rounded to whole seconds. A duration above 0 gives at least
 * 0:01.
 */
export function durationInput(duration: number): string {
  const wholeSeconds = Math.max(Math.round(duration), duration > 0 ? 1 : 0)
  const minutes = Math.floor(wholeSeconds / 60)
  const seconds = String(wholeSeconds % 60).padStart(2, '0')
  if (minutes < 60) return `${minutes}:${seconds}`
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${seconds}`
}
