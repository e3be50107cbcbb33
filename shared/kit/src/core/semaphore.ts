export interface Semaphore {
  /** Runs the work as soon as a slot is free, in the order of the calls. */
  run<T>(work: () => Promise<T>): Promise<T>
}

/** Lets at most `slots` pieces of work run at the same time. */
export function createSemaphore(slots: number): Semaphore {
  const waiting: (() => void)[] = []
  let inUse = 0

  return {
    async run(work) {
      if (inUse >= slots) await new Promise<void>(resolve => waiting.push(resolve))
      else inUse++
      try {
        return await work()
      } finally {
        // The slot goes to the next in line without becoming free in between.
        const next = waiting.shift()
        if (next) next()
        else inUse--
      }
    },
  }
}
