const dayPattern = /^\d{4}-\d{2}-\d{2}$/

/** A day in the form of date fields (`2026-11-20`), or undefined for anything else. */
export function parseDay(value: string): string | undefined {
  return dayPattern.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined
}

/** The first moment of a day in the person's own time zone, as a time on the wire. */
export function startOfDay(day: string): string {
  return new Date(`${day}T00:00:00.000`).toISOString()
}

/** The last moment of a day in the person's own time zone, as a time on the wire. */
export function endOfDay(day: string): string {
  return new Date(`${day}T23:59:59.999`).toISOString()
}
