import { quantile } from '../shared/meter.ts'
import type { CycleFigures } from './cycle.ts'
import type { RunFigures } from './run.ts'

const seconds = (ms: number) => (ms / 1_000).toFixed(1)

/** One row for each kind of fault. A cycle with two faults counts for both. */
export function formatTable(figures: RunFigures): string {
  const byKind = new Map<string, CycleFigures[]>()
  for (const cycle of figures.cycles)
    for (const kind of cycle.kinds) byKind.set(kind, [...(byKind.get(kind) ?? []), cycle])
  const sum = (cycles: readonly CycleFigures[], count: 'requests' | 'acknowledged' | 'resends' | 'violations') =>
    cycles.reduce((total, cycle) => total + cycle[count], 0)
  const makeRow = (kind: string, cycles: readonly CycleFigures[]) => {
    const recoveryTimes = cycles.map(cycle => cycle.recoveredMs).sort((a, b) => a - b)
    return [
      kind,
      cycles.length,
      seconds(quantile(recoveryTimes, 0.5)),
      seconds(recoveryTimes.at(-1) ?? 0),
      sum(cycles, 'requests'),
      sum(cycles, 'acknowledged'),
      sum(cycles, 'resends'),
      sum(cycles, 'violations'),
    ]
  }
  const header = [
    'fault',
    'cycles',
    'recovered p50, s',
    'max, s',
    'requests',
    'writes acknowledged',
    'resends',
    'violations',
  ]
  const rows = [...byKind].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, cycles]) => makeRow(kind, cycles))
  const table = [header, header.map(() => '---'), ...rows, makeRow('all', figures.cycles)]
  return table.map(row => `| ${row.join(' | ')} |`).join('\n')
}

export function formatSummary(figures: RunFigures): string {
  const { counts, staleOwners, violations, events, restarts } = figures
  const violationsByRule = Map.groupBy(violations, violation => violation.rule)
  return [
    `${figures.cycles.length} cycles in ${Math.round(figures.seconds)} s, seed ${figures.seed}; ${restarts} restarts of processes`,
    `${counts.requests} requests, ${counts.acknowledged} writes acknowledged, ${counts.resends} resends, ${counts.unknown} calls with an unknown result`,
    `${events} events in the outboxes`,
    `stale lock owners: ${staleOwners.tried} tried, ${staleOwners.refused} refused, ${staleOwners.missed} delayed too early to test, ${staleOwners.unanswered} unanswered`,
    violations.length === 0 ? 'no violation' : `${violations.length} VIOLATIONS`,
    ...[...violationsByRule].flatMap(([rule, found]) => [
      `  ${rule}: ${found.length}`,
      ...found.slice(0, 5).map(violation => `    ${violation.detail.slice(0, 400)}`),
    ]),
  ].join('\n')
}
