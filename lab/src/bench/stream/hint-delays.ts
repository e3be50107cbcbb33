/** Measures how long hints take from publishing to arrival. */
export function createHintDelays() {
  const publishedAt = new Map<string, number>()
  let delaysMs: number[] = []
  return {
    /** Expects one hint for this person from now on. */
    expect: (personId: string) => void publishedAt.set(personId, performance.now()),
    /** Ignores hints that nobody expects, for example a second one. */
    recordArrival: (personId: string) => {
      const startedAt = publishedAt.get(personId)
      if (startedAt === undefined) return
      delaysMs.push(performance.now() - startedAt)
      publishedAt.delete(personId)
    },
    /** The number of expected hints that have not arrived. */
    missingCount: () => publishedAt.size,
    /** Returns all delays in ms, ascending, and forgets them and all expected hints. */
    drain: () => {
      const sorted = delaysMs.sort((a, b) => a - b)
      delaysMs = []
      publishedAt.clear()
      return sorted
    },
  }
}

export type HintDelays = ReturnType<typeof createHintDelays>
