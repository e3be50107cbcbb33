import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { serverUrl } from '@watchline/testing/harness'
import { openBalancer } from '../../../tools/src/up/balancer.ts'
import { summarizeCalls } from '../../src/load/call-summary.ts'
import { createTally } from '../../src/load/clients/tally.ts'
import { createLoadWorld, type LoadWorld } from '../../src/load/load-world.ts'
import { isolationTables, measureIsolation } from '../../src/load/scenarios/isolation.ts'
import { measureOutage, outageTables } from '../../src/load/scenarios/outage.ts'
import { replicasTables } from '../../src/load/scenarios/replica-tables.ts'
import { measureReplicas } from '../../src/load/scenarios/replicas.ts'
import { measureRolling, rollingTables } from '../../src/load/scenarios/rolling.ts'
import { readSettings } from '../../src/load/settings.ts'

describe('the arithmetic of make load', () => {
  test('calls are counted by phase and operation, failures by kind, and summaries merge their latencies', () => {
    const tally = createTally()
    tally.countAnswer('before', 'track', 30)
    tally.countAnswer('before', 'track', 10)
    tally.countAnswer('during', 'track', 20)
    tally.countFailure('during', 'track', 'status 503')
    expect(tally.hasResults('before', ['track'], 2)).toBe(true)
    expect(tally.hasResults('before', ['track'], 3)).toBe(false)
    const { before, during } = tally.drain()

    expect(summarizeCalls([before!.track])).toMatchObject({ calls: 2, failures: {}, p50Ms: 10, p99Ms: 30, maxMs: 30 })
    expect(summarizeCalls([before!.track, during!.track, undefined])).toMatchObject({
      calls: 4,
      failures: { 'status 503': 1 },
      p50Ms: 20,
    })
    expect(tally.drain()).toEqual({})
  })

  test('an error names the wrong setting', () => {
    expect(readSettings({}).only).toEqual(['rolling', 'outage', 'replicas', 'isolation', 'trainees'])
    expect(readSettings({ ONLY: 'outage,rolling' }).only).toEqual(['rolling', 'outage'])
    expect(() => readSettings({ ONLY: 'everything' })).toThrow(/^ONLY: "everything" was given, accepted is/)
    expect(() => readSettings({ ROUNDS: '0' })).toThrow(/^ROUNDS/)
    expect(readSettings({ STEPS: '600, 150', SYSTEMS: 'up' })).toMatchObject({ steps: [150, 600], systems: ['up'] })
    expect(() => readSettings({ STEPS: '150,many' })).toThrow(/^STEPS: "150,many" was given, accepted is whole numbers/)
    expect(() => readSettings({ SYSTEMS: 'cloud' })).toThrow(/^SYSTEMS/)
  })
})

/**
 * Every scenario of `make load`, brief and with few people. The tests check counts, never times.
 */
describe('the scenarios of make load', () => {
  const folder = mkdtempSync(join(tmpdir(), 'watchline-load-'))
  let world: LoadWorld
  let closeBroker: () => Promise<void>

  beforeAll(async () => {
    const amqpUrl = new URL(serverUrl('AMQP_URL'))
    const network = await openBalancer({ targets: [amqpUrl.host] })
    closeBroker = () => network.close()
    amqpUrl.host = network.address
    world = await createLoadWorld({
      folder,
      prefix: `load${randomBytes(5).toString('hex')}`,
      size: { teams: 2, trainees: 2 },
      replicas: { gateway: 1, engagement: 1, chat: 1 },
      log: () => {},
      stores: {
        mongoUrl: serverUrl('MONGO_URL'),
        redisUrl: serverUrl('REDIS_URL'),
        broker: {
          url: amqpUrl.href,
          stop: async () => network.fault('refuse'),
          restart: async () => network.fault('none'),
        },
      },
    })
  })
  afterAll(async () => {
    await world?.stop()
    await closeBroker?.()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  test('no request fails while processes are replaced', async () => {
    const figures = await measureRolling(world, { seconds: 1, scale: 0.1, only: ['chat', 'gateway'] })

    expect(figures.replaced).toEqual({ chat: 1, gateway: 1 })
    expect(figures.during.failures).toEqual({})
    expect(figures.during.calls).toBeGreaterThan(0)
    expect(figures.streams.failures).toEqual({})
    expect(rollingTables(figures)).toContain('| gateway | 1 |')
  })

  test('without a broker positions are saved, and the backlog is consumed once after its restart', async () => {
    const figures = await measureOutage(world, { seconds: 2, scale: 0.2 })

    const { before, down, after } = figures.phases
    for (const { saves, others } of [before, down, after]) {
      expect(saves.calls).toBeGreaterThan(0)
      expect({ ...saves.failures, ...others.failures }).toEqual({})
    }
    expect(figures.backlog.atRestart).toBeGreaterThan(0)
    expect(figures.events).toMatchObject({ missing: 0, unexpected: 0, consumed: figures.events.expected })
    expect(figures.comments).toMatchObject({
      stored: figures.comments.acknowledged,
      notifications: figures.comments.acknowledged,
      repeated: 0,
    })
    expect(outageTables(figures)).toContain('| missing | 0 |')
  })

  test('more replicas credit the same and keep the same order', async () => {
    const figures = await measureReplicas(world, { seconds: 1, rounds: 1, scale: 0.02, warmUpS: 0.5, counts: [1, 2] })

    const [track, chat] = figures.subjects
    expect(track!.cases.map(({ replicas, basis, requestsPerS }) => [replicas, basis, requestsPerS])).toEqual([
      [1, 'together', 16],
      [2, 'together', 16],
      [1, 'each', 8],
      [2, 'each', 16],
    ])
    for (const { rounds } of track!.cases) {
      expect(rounds[0]!.calls.calls).toBeGreaterThan(0)
      expect(rounds[0]!.calls.failures).toEqual({})
      expect(rounds[0]!.credit!.watched).toBeGreaterThan(0)
      expect(rounds[0]!.credit!.largestDifference).toBeLessThan(0.2)
    }
    for (const { messages, rounds } of chat!.cases) {
      expect(messages).toEqual({ acknowledged: rounds[0]!.calls.calls, lost: 0, doubled: 0, outOfOrder: 0, broken: 0 })
    }
    expect(replicasTables(figures)).toContain('| 2 |')
  })

  test('no save fails while chat is dead, hangs or is overloaded', async () => {
    // A high enough rate that chat calls fall into every phase. Overloads use both cores meanwhile.
    const figures = await measureIsolation(world, { seconds: 0.5, rounds: 1, scale: 0.5, minResults: 5 })

    expect(figures.byCondition.map(({ name }) => name)).toContain('killed')
    for (const { saves, rounds } of figures.byCondition) {
      expect(rounds[0]!.saves.failures).toEqual({})
      expect(saves.calls).toBeGreaterThan(0)
    }
    const killed = figures.byCondition.find(({ name }) => name === 'killed')!
    expect(Object.keys(killed.rounds[0]!.chat.failures)).toContain('status 503 unavailable')
    // Without root there is no limit, and the condition is left out. How often chat reaches its
    // limit depends on the speed of the machine.
    const limited = figures.byCondition.find(({ name }) => name === 'overloaded, limited')
    expect(limited === undefined || limited.rounds[0]!.throttledPeriods! >= 0).toBe(true)
    expect(isolationTables(figures)).toContain('SIGKILL')
  })
})
