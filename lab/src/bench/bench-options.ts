export interface BenchOptions {
  /** Prints a line about the progress. */
  log(line: string): void
  isInterrupted(): boolean
}

/** Ends a measurement after Ctrl-C or SIGTERM. */
export function throwIfInterrupted({ isInterrupted }: Pick<BenchOptions, 'isInterrupted'>): void {
  if (isInterrupted()) throw new Error('interrupted')
}
