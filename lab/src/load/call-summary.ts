import { quantile } from '../shared/meter.ts'
import type { CallResults, PhaseResults } from './clients/tally.ts'

/** The figures of some calls, as they are stored and shown. */
export interface CallSummary {
  calls: number
  /** By status, or by an error's code. */
  failures: Record<string, number>
  p50Ms: number
  p99Ms: number
  maxMs: number
}

/** Summarizes the calls of several operations together. Undefined entries count as no calls. */
export function summarizeCalls(results: readonly (CallResults | undefined)[]): CallSummary {
  const present = results.filter(result => result !== undefined)
  const latencies = present.length === 1 ? present[0]!.latenciesMs : mergeLatencies(present)
  const failures = mergeFailures(present)
  return {
    calls: latencies.length + countFailures({ failures }),
    failures,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    maxMs: latencies.at(-1) ?? Number.NaN,
  }
}

function mergeLatencies(results: readonly CallResults[]): Float64Array {
  const merged = new Float64Array(results.reduce((sum, { latenciesMs }) => sum + latenciesMs.length, 0))
  let length = 0
  for (const { latenciesMs } of results) {
    merged.set(latenciesMs, length)
    length += latenciesMs.length
  }
  return merged.sort()
}

type Failures = Pick<CallSummary, 'failures'>

export function mergeFailures(results: readonly Failures[]): Record<string, number> {
  const merged: Record<string, number> = {}
  for (const { failures } of results)
    for (const [kind, times] of Object.entries(failures)) merged[kind] = (merged[kind] ?? 0) + times
  return merged
}

export function countFailures({ failures }: Failures): number {
  return Object.values(failures).reduce((sum, times) => sum + times, 0)
}

/** The results of all operations in one phase. */
export const resultsIn = (results: PhaseResults, phase: string): CallResults[] => Object.values(results[phase] ?? {})

/** `3 × status 503, 1 × ECONNRESET`, or `none`. */
export function formatFailures({ failures }: Failures): string {
  const kinds = Object.entries(failures).map(([kind, times]) => `${times} × ${kind}`)
  return kinds.join(', ') || 'none'
}

/** Three significant digits up to 100 ms, whole milliseconds above. */
export const formatMs = (ms: number) => (Number.isNaN(ms) ? '–' : ms < 100 ? ms.toFixed(1) : ms.toFixed(0))
export const formatRatio = (ratio: number) => (Number.isNaN(ratio) ? '–' : `× ${ratio.toFixed(2)}`)
