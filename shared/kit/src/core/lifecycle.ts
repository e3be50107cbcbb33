/**
 * Work with a start and a stop inside a service: started after the database is open, stopped before
 * it closes.
 */
export interface Lifecycle {
  start(signal: AbortSignal): Promise<void> | void
  stop(): Promise<void> | void
}
