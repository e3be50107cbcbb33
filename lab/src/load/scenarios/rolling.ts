import { type ProcessName, processNames } from '../../../../tools/src/up/system.ts'
import { markdownTable } from '../../shared/tables.ts'
import {
  type CallSummary,
  countFailures,
  formatFailures,
  formatMs,
  resultsIn,
  summarizeCalls,
} from '../call-summary.ts'
import { type Rates, scaleRates } from '../clients/operations.ts'
import type { PhaseResults } from '../clients/tally.ts'
import { type LoadWorld, wait } from '../load-world.ts'

/** A typical mix of people who watch, at twice the usual rate. */
const mixedRates: Rates = {
  'save-progress': 20,
  track: 20,
  heartbeat: 6,
  comment: 10,
  'chat send': 15,
  'chat answer': 5,
  assignment: 2,
  'notifications poll': 15,
  'chat poll': 25,
  'comments poll': 10,
  'task poll': 5,
  'profile read': 5,
  'online poll': 2,
}
const maxStreams = 30
const settleS = 2

export interface RollingFigures {
  seconds: { before: number; during: number }
  /** The number of replaced processes, by service. */
  replaced: Record<string, number>
  before: CallSummary
  during: CallSummary
  /** While the processes of each service were replaced, one after the other. */
  byService: Record<string, CallSummary>
  byOperation: Record<string, CallSummary>
  streams: { people: number; reopened: number; failures: Record<string, number> }
}

/** Replaces every process of every service under load. */
export async function measureRolling(
  { system, loadPeople, peopleCount, log }: LoadWorld,
  { seconds, scale = 1, only = processNames }: { seconds: number; scale?: number; only?: readonly ProcessName[] },
): Promise<RollingFigures> {
  const streams = Math.min(maxStreams, peopleCount)
  await loadPeople.remote.refreshTokens()
  await loadPeople.remote.begin({ rates: scaleRates(mixedRates, scale), streams })
  await wait(Math.min(settleS, seconds))
  await loadPeople.remote.enterPhase('before')
  log(`— ${seconds} s of load before any replacement`)
  await wait(seconds)
  const replaced: Record<string, number> = {}
  const startedAt = performance.now()
  for (const name of only) {
    log(`— replacing every process of ${name}`)
    const pidsBefore = system.groups[name].replicas.map(({ pid }) => pid)
    await loadPeople.remote.enterPhase(name)
    await system.roll(name)
    replaced[name] = pidsBefore.length
    if (system.groups[name].replicas.some(({ pid }) => pidsBefore.includes(pid)))
      throw new Error(`${name} was not replaced`)
  }
  await loadPeople.remote.enterPhase('after')
  const during = (performance.now() - startedAt) / 1_000
  await wait(1)
  const results = await loadPeople.remote.end()
  return summarizeRolling(results, { streams, seconds: { before: seconds, during }, replaced })
}

function summarizeRolling(
  results: PhaseResults,
  { streams, ...run }: { streams: number } & Pick<RollingFigures, 'seconds' | 'replaced'>,
): RollingFigures {
  const openedStreams = summarizeCalls(Object.values(results).map(operations => operations['stream opened']))
  for (const operations of Object.values(results)) delete operations['stream opened']
  const phases = [...Object.keys(run.replaced), 'after']
  return {
    ...run,
    before: summarizeCalls(resultsIn(results, 'before')),
    during: summarizeCalls(phases.flatMap(phase => resultsIn(results, phase))),
    byService: Object.fromEntries(phases.map(phase => [phase, summarizeCalls(resultsIn(results, phase))])),
    byOperation: Object.fromEntries(
      Object.keys(mixedRates).map(name => [name, summarizeCalls(phases.map(phase => results[phase]?.[name]))]),
    ),
    streams: {
      people: streams,
      reopened: openedStreams.calls - countFailures(openedStreams) - streams,
      failures: openedStreams.failures,
    },
  }
}

/** Markdown. */
export function rollingTables({ before, during, byService, byOperation, replaced, seconds, streams }: RollingFigures) {
  const cells = (summary: CallSummary) => [
    summary.calls,
    formatFailures(summary),
    formatMs(summary.p50Ms),
    formatMs(summary.p99Ms),
    formatMs(summary.maxMs),
  ]
  const titles = ['requests', 'failed', 'p50 ms', 'p99 ms', 'longest ms']
  const totalReplaced = Object.values(replaced).reduce((sum, count) => sum + count, 0)
  return [
    markdownTable(
      ['replaced', 'processes', ...titles],
      [
        [`nothing, ${seconds.before.toFixed(0)} s`, '', ...cells(before)],
        ...Object.entries(byService).map(([name, summary]) => [name, replaced[name] ?? '', ...cells(summary)]),
        [`all processes, ${seconds.during.toFixed(0)} s`, totalReplaced, ...cells(during)],
      ],
    ),
    markdownTable(
      ['operation', ...titles],
      Object.entries(byOperation).map(([name, summary]) => [name, ...cells(summary)]),
    ),
    `${streams.people} live streams; reopened ${streams.reopened} times; failed to open: ${formatFailures(streams)}.`,
  ].join('\n\n')
}
