/** A position: `m:ss`, with hours `h:mm:ss`. */
export function positionText(seconds: number): string {
  const whole = Math.max(0, Math.floor(Number.isFinite(seconds) ? seconds : 0))
  const rest = String(whole % 60).padStart(2, '0')
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return `${minutes}:${rest}`
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`
}

/** A duration in hours and minutes: `1h 05m`; what lasts less than a minute is still told, in seconds. */
export function durationText(seconds: number): string {
  if (seconds > 0 && seconds < 60) return `${Math.round(seconds)}s`
  const minutes = Math.round(Math.max(0, seconds) / 60)
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, '0')}m`
}
