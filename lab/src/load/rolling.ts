import { type ProcessName, processNames } from '../../../tools/src/up/system.ts'
import { ms, type Summary, shownFailures, summaryOf, table } from './call-summary.ts'
import type { Rates } from './clients/operations.ts'
import type { Outcome } from './clients/tally.ts'
import { type LoadWorld, wait } from './load-world.ts'

/** About what people do while they watch, at twice its pace. */
const mixed: Rates = {
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
const mostStreams = 30

export interface RollingFigures {
  seconds: { before: number; during: number }
  /** How many processes were replaced, by service. */
  replaced: Record<string, number>
  before: Summary
  during: Summary
  /** While the processes of each service were replaced, one after the other. */
  byService: Record<string, Summary>
  byOperation: Record<string, Summary>
  streams: { people: number; openedAgain: number; failures: Record<string, number> }
}

/** Replaces every process of every service under load. */
export async function measureRolling(
  { system, crew, people, log }: LoadWorld,
  { seconds, scale = 1, only = processNames }: { seconds: number; scale?: number; only?: readonly ProcessName[] },
): Promise<RollingFigures> {
  const streams = Math.min(mostStreams, people)
  const rates = Object.fromEntries(Object.entries(mixed).map(([name, perS]) => [name, perS * scale]))
  await crew.its.refresh()
  await crew.its.begin({ rates, streams })
  // Streams open and clients start.
  await wait(Math.min(2, seconds))
  await crew.its.enter('before')
  log(`— ${seconds} s of load before anything is replaced`)
  await wait(seconds)
  const replaced: Record<string, number> = {}
  const begun = performance.now()
  for (const name of only) {
    log(`— every process of ${name} is replaced`)
    const before = system.groups[name].replicas.map(each => each.pid)
    await crew.its.enter(name)
    await system.roll(name)
    replaced[name] = before.length
    if (system.groups[name].replicas.some(each => before.includes(each.pid)))
      throw new Error(`${name} was not replaced`)
  }
  await crew.its.enter('after')
  const during = (performance.now() - begun) / 1_000
  await wait(1)
  return figuresOf(await crew.its.end(), { people: streams, seconds: { before: seconds, during }, replaced })
}

function figuresOf(
  outcome: Outcome,
  { people, ...known }: { people: number } & Pick<RollingFigures, 'seconds' | 'replaced'>,
): RollingFigures {
  const opened = Object.values(outcome).map(operations => operations['stream opened'])
  for (const operations of Object.values(outcome)) delete operations['stream opened']
  const streams = summaryOf(opened)
  const inPhase = (phase: string) => Object.values(outcome[phase] ?? {})
  const names = [...Object.keys(known.replaced), 'after']
  const operations = Object.keys(mixed)
  return {
    ...known,
    before: summaryOf(inPhase('before')),
    during: summaryOf(names.flatMap(inPhase)),
    byService: Object.fromEntries(names.map(name => [name, summaryOf(inPhase(name))])),
    byOperation: Object.fromEntries(
      operations.map(name => [name, summaryOf(names.map(phase => outcome[phase]?.[name]))]),
    ),
    streams: {
      people,
      openedAgain: streams.calls - Object.values(streams.failures).reduce((a, b) => a + b, 0) - people,
      failures: streams.failures,
    },
  }
}

export function rollingTables({ before, during, byService, byOperation, replaced, seconds, streams }: RollingFigures) {
  const row = (name: string, more: string, summary: Summary) => [
    name,
    more,
    String(summary.calls),
    shownFailures(summary),
    ms(summary.p50Ms),
    ms(summary.p99Ms),
    ms(summary.maxMs),
  ]
  const head = ['replaced', 'processes', 'requests', 'failed', 'p50 ms', 'p99 ms', 'longest ms']
  const all = Object.values(replaced).reduce((sum, count) => sum + count, 0)
  const failed = Object.entries(streams.failures).map(([kind, times]) => `${times} × ${kind}`)
  return [
    table(head, [
      row(`nothing, ${seconds.before.toFixed(0)} s`, '', before),
      ...Object.entries(byService).map(([name, summary]) => row(name, String(replaced[name] ?? ''), summary)),
      row(`all of it, ${seconds.during.toFixed(0)} s`, String(all), during),
    ]),
    table(
      ['operation', ...head.slice(2)],
      Object.entries(byOperation).map(([name, summary]) => row(name, '', summary).filter((_, index) => index !== 1)),
    ),
    `${streams.people} live streams; opened again ${streams.openedAgain} times; not opened: ${failed.join(', ') || 'never'}.`,
  ].join('\n\n')
}
