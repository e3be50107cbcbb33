import { spreadOf } from '../../shared/meter.ts'
import { formatSpread, markdownTable } from '../../shared/tables.ts'
import { formatFailures, formatMs } from '../call-summary.ts'
import type { ReplicasCase, ReplicasFigures } from './replicas.ts'

/** Markdown. */
export function replicasTables({ subjects, seconds, rounds }: ReplicasFigures): string {
  return subjects
    .flatMap(({ name, cases }) => [
      `${name}, ${rounds} rounds of ${seconds} s: first the same load on all replicas together, then the same on each`,
      costTable(cases),
      name === 'track' ? creditTable(cases) : messageTable(cases),
    ])
    .join('\n\n')
}

function costTable(cases: readonly ReplicasCase[]): string {
  return markdownTable(
    [
      'replicas',
      'requests/s',
      'failed',
      'p50 ms',
      'p99 ms',
      'service µs',
      'gateway µs',
      'mongod µs',
      'commands',
      'service ÷ one replica',
      'all three ÷ one replica',
    ],
    cases.map(({ replicas, requestsPerS, cost, commands, serviceRatio, totalRatio, rounds }) => {
      const failures = rounds.map(({ calls }) => formatFailures(calls)).filter(text => text !== 'none')
      return [
        replicas,
        requestsPerS.toFixed(0),
        failures.join('; ') || 'none',
        formatMs(spreadOf(rounds.map(({ calls }) => calls.p50Ms)).median),
        formatMs(spreadOf(rounds.map(({ calls }) => calls.p99Ms)).median),
        formatSpread(cost.service, 0),
        formatSpread(cost.gateway, 0),
        formatSpread(cost.mongod, 0),
        formatSpread(commands, 3),
        formatSpread(serviceRatio, 2),
        formatSpread(totalRatio, 2),
      ]
    }),
  )
}

/**
 * Without the second entry of the case with most replicas, which was measured once for both loads.
 */
function distinctCases(cases: readonly ReplicasCase[]): ReplicasCase[] {
  const maxCount = Math.max(...cases.map(({ replicas }) => replicas))
  return cases.filter(({ basis, replicas }) => basis === 'each' || replicas < maxCount)
}

function creditTable(cases: readonly ReplicasCase[]): string {
  return markdownTable(
    ['replicas', 'requests/s', 'seconds played', 'seconds credited', 'largest difference of one person, s'],
    distinctCases(cases).map(({ replicas, requestsPerS, rounds }) => [
      replicas,
      requestsPerS.toFixed(0),
      rounds.reduce((sum, { credit }) => sum + credit!.watched, 0).toFixed(1),
      rounds.reduce((sum, { credit }) => sum + credit!.credited, 0).toFixed(1),
      Math.max(...rounds.map(({ credit }) => credit!.largestDifference)).toFixed(2),
    ]),
  )
}

function messageTable(cases: readonly ReplicasCase[]): string {
  return markdownTable(
    [
      'replicas',
      'requests/s',
      'acknowledged',
      'lost',
      'doubled',
      'out of order',
      'rooms that are not the same for both',
    ],
    distinctCases(cases).map(({ replicas, requestsPerS, messages }) => [
      replicas,
      requestsPerS.toFixed(0),
      messages?.acknowledged ?? 0,
      messages?.lost ?? 0,
      messages?.doubled ?? 0,
      messages?.outOfOrder ?? 0,
      messages?.broken ?? 0,
    ]),
  )
}
