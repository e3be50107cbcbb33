/** Seconds of a duration as people type it, m:ss or h:mm:ss (fractions of a second allowed); undefined when it is neither. */
export function parseDuration(text: string): number | undefined {
  const match = /^(?:(\d{1,3}):)?(\d{1,4}):(\d{2}(?:\.\d{1,3})?)$/.exec(text.trim())
  if (!match) return undefined
  const [, hours, minutes, seconds] = match
  if (Number(seconds) >= 60) return undefined
  if (hours !== undefined && (Number(minutes) >= 60 || minutes?.length !== 2)) return undefined
  return Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds)
}

/** The same the other way: m:ss below an hour, else h:mm:ss; whole seconds, at least one of them for what is not empty. */
export function durationInput(duration: number): string {
  const whole = Math.max(Math.round(duration), duration > 0 ? 1 : 0)
  const minutes = Math.floor(whole / 60)
  const seconds = String(whole % 60).padStart(2, '0')
  if (minutes < 60) return `${minutes}:${seconds}`
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${seconds}`
}
