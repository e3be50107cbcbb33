import type { CycleFigures } from './cycle.ts'
import type { RunFigures } from './run.ts'

const quantile = (sorted: readonly number[], q: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0
const seconds = (ms: number) => (ms / 1_000).toFixed(1)

/** One row for each kind of fault. A cycle with two faults counts for both. */
export function tableOf(figures: RunFigures): string {
  const byKind = new Map<string, CycleFigures[]>()
  for (const cycle of figures.cycles)
    for (const kind of cycle.kinds) byKind.set(kind, [...(byKind.get(kind) ?? []), cycle])
  const sum = (cycles: readonly CycleFigures[], what: 'requests' | 'acknowledged' | 'resends' | 'violations') =>
    cycles.reduce((total, each) => total + each[what], 0)
  const line = (kind: string, cycles: readonly CycleFigures[]) => {
    const recovered = cycles.map(each => each.recoveredMs).sort((one, other) => one - other)
    return [
      kind,
      cycles.length,
      seconds(quantile(recovered, 0.5)),
      seconds(recovered.at(-1) ?? 0),
      sum(cycles, 'requests'),
      sum(cycles, 'acknowledged'),
      sum(cycles, 'resends'),
      sum(cycles, 'violations'),
    ]
  }
  const head = [
    'fault',
    'cycles',
    'recovered p50, s',
    'max, s',
    'requests',
    'writes acknowledged',
    'resends',
    'violations',
  ]
  const rows = [...byKind].sort(([one], [other]) => (one < other ? -1 : 1)).map(([kind, cycles]) => line(kind, cycles))
  const all = [head, head.map(() => '---'), ...rows, line('all', figures.cycles)]
  return all.map(row => `| ${row.join(' | ')} |`).join('\n')
}

export function summaryOf(figures: RunFigures): string {
  const { counts, staleHolders, violations, events, restarts } = figures
  const rules = Map.groupBy(violations, each => each.rule)
  return [
    `${figures.cycles.length} cycles in ${Math.round(figures.seconds)} s, seed ${figures.seed}; ${restarts} restarts of processes`,
    `${counts.requests} requests, ${counts.acknowledged} writes acknowledged, ${counts.resends} resends, ${counts.unknown} calls with an unknown outcome`,
    `${events} events in the outboxes`,
    `stale lock owners: ${staleHolders.tried} tried, ${staleHolders.refused} refused, ${staleHolders.missed} delayed too early to test, ${staleHolders.unanswered} unanswered`,
    violations.length === 0 ? 'no violation' : `${violations.length} VIOLATIONS`,
    ...[...rules].flatMap(([rule, found]) => [
      `  ${rule}: ${found.length}`,
      ...found.slice(0, 5).map(each => `    ${each.what.slice(0, 400)}`),
    ]),
  ].join('\n')
}
