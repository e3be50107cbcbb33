/** A timer that can be cancelled. */
export type Schedule = (ms: number, run: () => void) => () => void

export const scheduleTimeout: Schedule = (ms, run) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
