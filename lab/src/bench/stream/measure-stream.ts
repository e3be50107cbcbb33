import { setTimeout } from 'node:timers/promises'
import type { PersonSnapshot, Role } from '@watchline/contracts/people'
import { createRabbitBus } from '@watchline/kit/messaging/rabbitmq/rabbitmq-bus'
import { newId } from '@watchline/kit/mongo/database'
import { randomIntervalMs } from '../../shared/load-generator.ts'
import { quantile, readCpuSeconds } from '../../shared/meter.ts'
import { markdownTable } from '../../shared/tables.ts'
import type { BenchOptions } from '../bench-options.ts'
import type { BenchProcess, BenchWorld } from '../bench-world.ts'
import { createHintDelays, type HintDelays } from './hint-delays.ts'
import { measureMemory, startInspectedService } from './process-memory.ts'
import { countOpenStreams, cutStreams, openStreams } from './stream-clients.ts'

const connections = 2_000
const supervisorCount = 180
const warmUpConnections = 500
/** Hints to one person each, at random moments. */
const single = { ratePerS: 50, seconds: 10 }
/** Hints to all people at once. */
const bursts = { count: 10, intervalMs: 1_000 }
const lateHintLimitMs = 5_000

interface HintFigures {
  name: string
  count: number
  missing: number
  p50Ms: number
  p99Ms: number
  maxMs: number
  /** CPU of gateway and replicas, a hint. */
  cpuUs: number
}

export interface StreamFigures {
  connections: number
  secondsToOpen: number
  hints: HintFigures[]
  /** A stream, above the memory without streams. */
  memory: { process: string; streams: number; heapKB: number; rssKB: number }[]
  leftOpenAfterCut: number
}

/**
 * Measures the delay of hints and the memory of open streams: 2,000 browsers, a gateway, two
 * replicas.
 */
export async function measureStream(world: BenchWorld, { log }: BenchOptions): Promise<StreamFigures> {
  log(`— ${connections} streams through the gateway to two replicas`)
  const people = addOrganisation(world)
  const replicas = [
    await startInspectedService(world, 'notification', 'notification-1'),
    await startInspectedService(world, 'notification', 'notification-2'),
  ]
  const gateway = await startInspectedService(world, 'gateway', 'gateway', {
    NOTIFICATION_URL: replicas.map(({ url }) => url).join(','),
    RATE_LIMITS: 'false',
  })
  const processes = [...replicas, gateway]
  const bus = await createRabbitBus({ url: world.amqpUrl, exchange: world.prefix, consumersOf: () => [] })
  const delays = createHintDelays()
  try {
    const publishHint = (recipientIds: readonly string[]) =>
      bus.publish({
        specversion: '1.0',
        id: newId(),
        source: 'notification',
        type: 'notifications.changed',
        subject: recipientIds[0]!,
        time: new Date().toISOString(),
        data: { recipient_ids: [...recipientIds] },
      })

    // Before the comparison, so that code is compiled, pools are full and caches are warm.
    const warmUpPeople = people.slice(0, warmUpConnections)
    const warmUpStreams = await openStreams(world, gateway.url, warmUpPeople, delays)
    await publishHint(warmUpPeople.map(({ id }) => id))
    await cutStreams(warmUpStreams, replicas)
    const memoryBefore = await measureMemory(processes)

    const startedAt = performance.now()
    const streams = await openStreams(world, gateway.url, people, delays)
    const secondsToOpen = (performance.now() - startedAt) / 1_000

    log('— hints to one person each')
    const oneEach = await measureHints('one person', processes, delays, async expectHint => {
      const count = single.ratePerS * single.seconds
      for (let index = 0; index < count; index += 1) {
        const { id } = people[(index * 7) % people.length]!
        expectHint(id)
        publishHint([id]).catch(() => {})
        await setTimeout(randomIntervalMs(single.ratePerS))
      }
    })
    log('— hints to everybody at once')
    const personIds = people.map(({ id }) => id)
    const everybody = await measureHints('everybody at once', processes, delays, async expectHint => {
      for (let burst = 0; burst < bursts.count; burst += 1) {
        await setTimeout(bursts.intervalMs)
        for (const id of personIds) expectHint(id)
        publishHint(personIds).catch(() => {})
      }
    })

    log('— memory')
    const memoryAfter = await measureMemory(processes)
    const streamCounts = await Promise.all(processes.map(countOpenStreams))
    await cutStreams(streams, replicas)
    const leftOpen = await Promise.all(replicas.map(countOpenStreams))
    return {
      connections,
      secondsToOpen,
      hints: [oneEach, everybody],
      memory: processes.map(({ name }, index) => {
        const count = streamCounts[index]!
        return {
          process: name,
          streams: count,
          heapKB: (memoryAfter[index]!.heap - memoryBefore[index]!.heap) / count / 1_000,
          rssKB: (memoryAfter[index]!.rss - memoryBefore[index]!.rss) / count / 1_000,
        }
      }),
      leftOpenAfterCut: leftOpen.reduce((sum, count) => sum + count, 0),
    }
  } finally {
    await bus.close()
  }
}

/** People of all roles, one a connection. */
function addOrganisation(world: BenchWorld): PersonSnapshot[] {
  const supervisors = Array.from({ length: supervisorCount }, () => world.addPerson('supervisor'))
  const roleOf = (index: number): Role => (index < 2 ? 'director' : index < 20 ? 'manager' : 'user')
  const others = Array.from({ length: connections - supervisorCount }, (_, index) => {
    const role = roleOf(index)
    const supervisorId = supervisors[index % supervisorCount]!.id
    return world.addPerson(role, role === 'user' ? { supervisor_id: supervisorId } : {})
  })
  return [...supervisors, ...others]
}

/** Runs `publishHints`, waits for late hints, and returns delays and CPU. */
async function measureHints(
  name: string,
  processes: readonly BenchProcess[],
  delays: HintDelays,
  publishHints: (expectHint: (personId: string) => void) => Promise<void>,
): Promise<HintFigures> {
  delays.drain()
  const cpuBefore = totalCpuSeconds(processes)
  let expected = 0
  await publishHints(personId => {
    expected += 1
    delays.expect(personId)
  })
  for (let waitedMs = 0; delays.missingCount() > 0 && waitedMs < lateHintLimitMs; waitedMs += 100) await setTimeout(100)
  const cpuSeconds = totalCpuSeconds(processes) - cpuBefore
  const delaysMs = delays.drain()
  return {
    name,
    count: delaysMs.length,
    missing: expected - delaysMs.length,
    p50Ms: quantile(delaysMs, 0.5),
    p99Ms: quantile(delaysMs, 0.99),
    maxMs: delaysMs.at(-1) ?? Number.NaN,
    cpuUs: (cpuSeconds * 1e6) / delaysMs.length,
  }
}

const totalCpuSeconds = (processes: readonly BenchProcess[]) =>
  processes.reduce((sum, { pid }) => sum + readCpuSeconds(pid), 0)

/** Markdown. */
export function streamTables({ hints, memory, ...figures }: StreamFigures): string {
  const format = (value: number) => value.toFixed(1)
  return [
    `${figures.connections} streams, opened in ${format(figures.secondsToOpen)} s`,
    markdownTable(
      ['hint to', 'hints', 'missing', 'p50 ms', 'p99 ms', 'max ms', 'CPU µs a hint'],
      hints.map(({ name, count, missing, p50Ms, p99Ms, maxMs, cpuUs }) => [
        name,
        count,
        missing,
        ...[p50Ms, p99Ms, maxMs, cpuUs].map(format),
      ]),
    ),
    markdownTable(
      ['process', 'streams', 'heap kB a stream', 'RSS kB a stream'],
      memory.map(({ process, streams, heapKB, rssKB }) => [process, streams, format(heapKB), format(rssKB)]),
    ),
  ].join('\n\n')
}
