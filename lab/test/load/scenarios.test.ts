import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { serverUrl } from '@watchline/testing/harness'
import { openBalancer } from '../../../tools/src/up/balancer.ts'
import { summaryOf } from '../../src/load/call-summary.ts'
import { createTally } from '../../src/load/clients/tally.ts'
import { isolationTables, measureIsolation } from '../../src/load/isolation.ts'
import { createLoadWorld, type LoadWorld } from '../../src/load/load-world.ts'
import { measureOutage, outageTables } from '../../src/load/outage.ts'
import { measureReplicas, replicasTables } from '../../src/load/replicas.ts'
import { measureRolling, rollingTables } from '../../src/load/rolling.ts'
import { readSettings } from '../../src/load/settings.ts'

describe('the arithmetic of make load', () => {
  test('calls are counted by phase and operation, failures by kind; their latencies can be taken together', () => {
    const tally = createTally()
    tally.answered('before', 'track', 30)
    tally.answered('before', 'track', 10)
    tally.answered('during', 'track', 20)
    tally.failed('during', 'track', 'status 503')
    const { before, during } = tally.take()

    expect(summaryOf([before!.track])).toMatchObject({ calls: 2, failures: {}, p50Ms: 10, p99Ms: 30, maxMs: 30 })
    expect(summaryOf([before!.track, during!.track, undefined])).toMatchObject({
      calls: 4,
      failures: { 'status 503': 1 },
      p50Ms: 20,
    })
    expect(tally.take()).toEqual({})
  })

  test('a wrong setting is named', () => {
    expect(readSettings({}).only).toEqual(['rolling', 'outage', 'replicas', 'isolation'])
    expect(readSettings({ ONLY: 'outage,rolling' }).only).toEqual(['rolling', 'outage'])
    expect(() => readSettings({ ONLY: 'everything' })).toThrow(/^ONLY: "everything" was given, accepted is/)
    expect(() => readSettings({ ROUNDS: '0' })).toThrow(/^ROUNDS/)
  })
})

/** Every scenario as `make load` runs it, with few people and for moments. What is counted must be right; times say nothing here. */
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
          goAway: async () => network.fault('refuse'),
          comeBack: async () => network.fault('none'),
        },
      },
    })
  }, 360_000)
  afterAll(async () => {
    await world?.stop()
    await closeBroker?.()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }, 120_000)

  test('no request fails while processes are replaced', async () => {
    const figures = await measureRolling(world, { seconds: 1, scale: 0.1, only: ['chat', 'gateway'] })

    expect(figures.replaced).toEqual({ chat: 1, gateway: 1 })
    expect(figures.during.failures).toEqual({})
    expect(figures.during.calls).toBeGreaterThan(0)
    expect(figures.streams.failures).toEqual({})
    expect(rollingTables(figures)).toContain('| gateway | 1 |')
  }, 240_000)

  test('without a broker positions are saved; what waited is consumed once when it is back', async () => {
    const figures = await measureOutage(world, { seconds: 2, scale: 0.2 })

    const { before, away, after } = figures.phases
    for (const { saves, others } of [before, away, after]) {
      expect(saves.calls).toBeGreaterThan(0)
      expect({ ...saves.failures, ...others.failures }).toEqual({})
    }
    expect(figures.backlog.atReturn).toBeGreaterThan(0)
    expect(figures.events).toMatchObject({ missing: 0, unexpected: 0, consumed: figures.events.due })
    expect(figures.comments).toMatchObject({
      stored: figures.comments.acknowledged,
      notifications: figures.comments.acknowledged,
      repeated: 0,
    })
    expect(outageTables(figures)).toContain('| missing | 0 |')
  }, 240_000)

  test('more replicas credit the same and keep the same order', async () => {
    const figures = await measureReplicas(world, { seconds: 1, rounds: 1, scale: 0.02, warmUpS: 0.5, counts: [1, 2] })

    const [track, chat] = figures.subjects
    expect(track!.cases.map(({ replicas, basis, perS }) => [replicas, basis, perS])).toEqual([
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
    for (const { told, rounds } of chat!.cases) {
      expect(told).toEqual({ acknowledged: rounds[0]!.calls.calls, lost: 0, doubled: 0, outOfOrder: 0, broken: 0 })
    }
    expect(replicasTables(figures)).toContain('| 2 |')
  }, 240_000)

  test('a chat that is dead, hangs or is flooded fails no position', async () => {
    // Enough of it that somebody writes in every second, however calls at random moments fall.
    const figures = await measureIsolation(world, { seconds: 1, rounds: 1, scale: 0.5 })

    expect(figures.byCondition.map(each => each.name)).toContain('killed')
    for (const { saves, rounds } of figures.byCondition) {
      expect(rounds[0]!.saves.failures).toEqual({})
      expect(saves.calls).toBeGreaterThan(0)
    }
    const killed = figures.byCondition.find(each => each.name === 'killed')!
    expect(Object.keys(killed.rounds[0]!.chat.failures)).toContain('status 503')
    // Only root may limit; and then it does.
    const limited = figures.byCondition.find(each => each.name === 'saturated, limited')
    expect(limited === undefined || limited.rounds[0]!.limitReached! > 0).toBe(true)
    expect(isolationTables(figures)).toContain('SIGKILL')
  }, 360_000)
})
