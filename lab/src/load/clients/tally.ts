/** The results of one operation's calls. */
export interface Calls {
  /** Answered with 2xx. */
  answered: number
  /** By status, or by an error's code. */
  failures: Record<string, number>
  /** Of those answered, from the moment each was due. Ascending. */
  latenciesMs: Float64Array
}

/** By the name of a phase, then by operation. */
export type Outcome = Record<string, Record<string, Calls>>

/** Counts what was due in each phase. */
export function createTally() {
  const phases = new Map<string, Map<string, { failures: Map<string, number>; latencies: number[] }>>()

  function of(phase: string, operation: string) {
    const operations = phases.get(phase) ?? new Map<string, { failures: Map<string, number>; latencies: number[] }>()
    phases.set(phase, operations)
    const calls = operations.get(operation) ?? { failures: new Map<string, number>(), latencies: [] }
    operations.set(operation, calls)
    return calls
  }

  return {
    answered: (phase: string, operation: string, ms: number) => void of(phase, operation).latencies.push(ms),
    failed: (phase: string, operation: string, kind: string) => {
      const { failures } = of(phase, operation)
      failures.set(kind, (failures.get(kind) ?? 0) + 1)
    },
    /** Returns all counts and resets them. */
    take: (): Outcome => {
      const outcome: Outcome = {}
      for (const [phase, operations] of phases) {
        outcome[phase] = {}
        for (const [operation, { failures, latencies }] of operations)
          outcome[phase][operation] = {
            answered: latencies.length,
            failures: Object.fromEntries(failures),
            latenciesMs: Float64Array.from(latencies).sort(),
          }
      }
      phases.clear()
      return outcome
    },
  }
}

export type Tally = ReturnType<typeof createTally>

/** The kind of failure of a call without an answer. */
export function kindOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name: string }
  return typeof code === 'string' ? code : name
}
