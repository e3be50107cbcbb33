import type { Outcome } from '../shared/load-generator.ts'
import { quantile, type Spread, spreadOf } from '../shared/meter.ts'

export interface Latencies {
  calls: number
  errors: number
  p50Ms: Spread
  p99Ms: Spread
}

/** Sums the rounds of one measurement; the latencies are spreads over the rounds. */
export function summariseRounds(rounds: readonly Outcome[]): Latencies {
  return {
    calls: rounds.reduce((sum, { calls }) => sum + calls, 0),
    errors: rounds.reduce((sum, { errors }) => sum + errors, 0),
    p50Ms: spreadOf(rounds.map(({ latenciesMs }) => quantile(latenciesMs, 0.5))),
    p99Ms: spreadOf(rounds.map(({ latenciesMs }) => quantile(latenciesMs, 0.99))),
  }
}
