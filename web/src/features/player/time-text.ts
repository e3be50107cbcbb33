/** A position: `m:ss`, with hours `h:mm:ss`. */
export function positionText(seconds: number): string {
  const whole = Math.max(0, Math.floor(Number.isFinite(seconds) ? seconds : 0))
  const rest = String(whole % 60).padStart(2, '0')
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return `${minutes}:${rest}`
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`
}

/** A duration in hours and minutes: `1h 05m`; below a minute the seconds are told too, so that nothing reads as nothing. */
export function durationText(seconds: number): string {
  if (seconds > 0 && seconds < 60) return `0h 00m ${Math.floor(seconds)}s`
  const minutes = Math.round(Math.max(0, seconds) / 60)
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, '0')}m`
}
