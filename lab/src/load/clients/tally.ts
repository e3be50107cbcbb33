import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '@watchline/testing/browser'

/** The results of one operation's calls. */
export interface CallResults {
  /** The number of answers with 2xx or 304. */
  answered: number
  /** By status, or by an error's code. */
  failures: Record<string, number>
  /** The latencies of the answered calls, each from the moment it was due. Ascending. */
  latenciesMs: Float64Array
}

/** By the name of a phase, then by operation. */
export type PhaseResults = Record<string, Record<string, CallResults>>

interface Counts {
  failures: Map<string, number>
  latencies: number[]
}

/** Counts the results of calls by phase and operation. */
export function createTally() {
  const phases = new Map<string, Map<string, Counts>>()

  function countsOf(phase: string, operation: string): Counts {
    const operations = phases.get(phase) ?? new Map<string, Counts>()
    phases.set(phase, operations)
    const counts = operations.get(operation) ?? { failures: new Map(), latencies: [] }
    operations.set(operation, counts)
    return counts
  }

  return {
    countAnswer: (phase: string, operation: string, ms: number) => void countsOf(phase, operation).latencies.push(ms),
    countFailure: (phase: string, operation: string, kind: string) => {
      const { failures } = countsOf(phase, operation)
      failures.set(kind, (failures.get(kind) ?? 0) + 1)
    },
    /** Whether each of these operations has enough results; without any, of one at all. */
    hasResults: (phase: string, operations: readonly string[] = [], minResults = 1) =>
      phases.has(phase) &&
      operations.every(operation => {
        const counts = phases.get(phase)!.get(operation)
        if (!counts) return false
        return counts.latencies.length + [...counts.failures.values()].reduce((sum, n) => sum + n, 0) >= minResults
      }),
    /** Returns all results and resets them. */
    drain: (): PhaseResults => {
      const results: PhaseResults = {}
      for (const [phase, operations] of phases) {
        results[phase] = {}
        for (const [operation, { failures, latencies }] of operations)
          results[phase][operation] = {
            answered: latencies.length,
            failures: Object.fromEntries(failures),
            latenciesMs: Float64Array.from(latencies).sort(),
          }
      }
      phases.clear()
      return results
    },
  }
}

export type Tally = ReturnType<typeof createTally>

/** Real clients never give up. */
const maxRefusals = 20

/**
 * Repeats a call that an overloaded server refuses after `Retry-After`, as pages and players do.
 */
export async function repeatRefused<A extends Pick<Answer, 'status'> & Partial<Answer>>(
  makeCall: () => Promise<A>,
): Promise<A> {
  let answer = await makeCall()
  for (let refusals = 1; answer.json?.code === 'overloaded' && refusals < maxRefusals; refusals += 1) {
    await sleep(Number(answer.headers?.['retry-after'] ?? 1) * 1_000 * (1 + Math.random() / 2))
    answer = await makeCall()
  }
  return answer
}

/**
 * Makes a call and counts its answer or failure. The time of a refused call counts from its first
 * attempt. Never rejects.
 */
export async function countCall(
  tally: Tally,
  { phase, operation, dueAt }: { phase: string; operation: string; dueAt: number },
  makeCall: () => Promise<Pick<Answer, 'status'> & Partial<Answer>>,
): Promise<void> {
  try {
    const { status, json } = await repeatRefused(makeCall)
    if ((status >= 200 && status < 300) || status === 304)
      tally.countAnswer(phase, operation, performance.now() - dueAt)
    else tally.countFailure(phase, operation, `status ${status}${json?.code ? ` ${json.code}` : ''}`)
  } catch (error) {
    tally.countFailure(phase, operation, failureKindOf(error))
  }
}

/** The kind of failure of a call without an answer. */
export function failureKindOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name: string }
  return typeof code === 'string' ? code : name
}
