const maxBackOffMs = 5_000

export interface ClaimedRows {
  readonly ids: ReadonlySet<string>
  add(id: string): void
  /** Lets the row be claimed and published again, unless it is marked as published. */
  release(id: string): void
  /** Releases a failed row after a pause that grows with its failures. */
  releaseLater(id: string): void
  /** Ends the pauses of all failed rows. */
  releaseFailed(): void
  /** The next pause of this row is short again; without an id, of all rows. */
  clearFailures(id?: string): void
}

/** The rows of a relay: being published, waiting for a retry, or confirmed but not yet marked. */
export function createClaimedRows(): ClaimedRows {
  const ids = new Set<string>()
  const retryTimers = new Map<string, NodeJS.Timeout>()
  const failures = new Map<string, number>()

  function release(id: string): void {
    clearTimeout(retryTimers.get(id))
    retryTimers.delete(id)
    ids.delete(id)
  }

  return {
    ids,
    add: id => void ids.add(id),
    release,
    releaseLater(id) {
      const count = (failures.get(id) ?? 0) + 1
      failures.set(id, count)
      retryTimers.set(id, setTimeout(() => release(id), backOffMs(count)).unref())
    },
    releaseFailed() {
      for (const id of [...retryTimers.keys()]) release(id)
    },
    clearFailures(id) {
      if (id === undefined) failures.clear()
      else failures.delete(id)
    },
  }
}

function backOffMs(failures: number): number {
  return Math.min(maxBackOffMs, 100 * 2 ** Math.min(failures, 6)) * (0.75 + Math.random() / 2)
}
