import { quantile } from '../shared/meter.ts'
import type { Calls, Outcome } from './clients/tally.ts'

/** What is kept and shown of some calls. */
export interface Summary {
  calls: number
  failures: Record<string, number>
  p50Ms: number
  p99Ms: number
  maxMs: number
}

export function summaryOf(all: readonly (Calls | undefined)[]): Summary {
  const given = all.filter(each => each !== undefined)
  const failures: Record<string, number> = {}
  for (const each of given)
    for (const [kind, times] of Object.entries(each.failures)) failures[kind] = (failures[kind] ?? 0) + times
  const latencies = given.length === 1 ? given[0]!.latenciesMs : pooled(given)
  const failed = Object.values(failures).reduce((sum, times) => sum + times, 0)
  return {
    calls: latencies.length + failed,
    failures,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    maxMs: latencies.at(-1) ?? Number.NaN,
  }
}

function pooled(all: readonly Calls[]): Float64Array {
  const latencies = new Float64Array(all.reduce((sum, each) => sum + each.latenciesMs.length, 0))
  let at = 0
  for (const each of all) {
    latencies.set(each.latenciesMs, at)
    at += each.latenciesMs.length
  }
  return latencies.sort()
}

export const failedOf = ({ failures }: Summary) => Object.values(failures).reduce((sum, times) => sum + times, 0)

/** By operation, in one phase. */
export function byOperation(outcome: Outcome, phase: string): Record<string, Summary> {
  return Object.fromEntries(Object.entries(outcome[phase] ?? {}).map(([name, calls]) => [name, summaryOf([calls])]))
}

/** `3 × status 503, 1 × ECONNRESET`, or `none`. */
export function shownFailures(summary: Summary): string {
  const kinds = Object.entries(summary.failures).map(([kind, times]) => `${times} × ${kind}`)
  return kinds.join(', ') || 'none'
}

export const ms = (value: number) => (Number.isNaN(value) ? '–' : value < 100 ? value.toFixed(1) : value.toFixed(0))
export const ratio = (value: number) => (Number.isNaN(value) ? '–' : `× ${value.toFixed(2)}`)

/** A Markdown table; the first column is text, the others are figures. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}
