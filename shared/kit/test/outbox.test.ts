import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { DomainEvent } from '@watchline/contracts/events'
import { systemClock } from '@watchline/kit/core/clock'
import { createMemoryLiveStore } from '@watchline/kit/live/memory-live-store'
import type { EventBus } from '@watchline/kit/messaging/event-bus'
import { createOutbox, type Outbox } from '@watchline/kit/messaging/outbox'
import { createDatabase, ensureIndexes, openDatabase } from '@watchline/kit/mongo/database'
import { createTestWorld, eventually, type TestWorld } from '@watchline/testing/harness'

let world: TestWorld
const undo: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  world = await createTestWorld()
})
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
  await world.close()
})

/** One of the replicas of a service: an outbox on the same database. */
async function replica(): Promise<Outbox> {
  const connection = createDatabase()
  const live = createMemoryLiveStore()
  const outbox = createOutbox({ connection, source: 'auth', live, clock: systemClock, log: world.ports.log! })
  await openDatabase(connection, world.config.mongoUrl, `${world.name}-auth`)
  await ensureIndexes(connection)
  undo.push(() => connection.close(), outbox.stopRelay, live.close)
  return outbox
}

/** A bus that counts, takes its time, and says how many it had at once. */
function countingBus(publish: (event: DomainEvent) => Promise<void> = () => new Promise(setImmediate)) {
  const times = new Map<string, number>()
  const state = { atOnce: 0, most: 0 }
  const bus = {
    onPublishable: () => {},
    publish: async (event: DomainEvent) => {
      times.set(event.id, (times.get(event.id) ?? 0) + 1)
      state.most = Math.max(state.most, ++state.atOnce)
      await publish(event).finally(() => state.atOnce--)
    },
  }
  return { times, state, bus: bus as unknown as EventBus }
}

const rows = () => world.database('auth').collection<{ _id: string; [field: string]: unknown }>('outbox')

/** What was stored by a process that is no more. */
async function leftBehind(count: number, claim: { claimed_by?: string; claimed_until?: Date } = {}) {
  const event = { type: 'user.created' }
  await rows().insertMany(
    Array.from({ length: count }, (_, index) => {
      const _id = `event-${index}`
      return { _id, seq: new Date(1_000 + index), pending: true, event: { ...event, id: _id }, ...claim }
    }),
  )
}

const allPublished = () => eventually(async () => (await rows().countDocuments({ pending: true })) === 0)

describe('the relays of several replicas', () => {
  test('share a backlog: hundreds at once each, and every event is published once', async () => {
    const replicas = [await replica(), await replica(), await replica()]
    await leftBehind(5_000)
    const counting = replicas.map(() => countingBus())
    for (const [index, outbox] of replicas.entries()) outbox.startRelay(counting[index]!.bus)
    await allPublished()
    const times = counting.flatMap(each => [...each.times.values()])
    expect(times).toHaveLength(5_000)
    expect(new Set(times)).toEqual(new Set([1]))
    expect(Math.max(...counting.map(each => each.state.most))).toBeGreaterThan(256)
  })

  test('publish each what they have committed themselves', async () => {
    const [one, other] = [await replica(), await replica()]
    const [mine, theirs] = [countingBus(), countingBus()]
    one.startRelay(mine.bus)
    other.startRelay(theirs.bus)
    for (let index = 0; index < 20; index += 1)
      await one.transaction(async tx =>
        tx.publish('session.started', 's', { sid: 's', person_id: 'p', started_at: '' }),
      )
    await allPublished()
    expect([mine.times.size, theirs.times.size]).toEqual([20, 0])
  })

  test('take over what a dead one had claimed, when its claim has ended', async () => {
    await leftBehind(3, { claimed_by: 'the dead', claimed_until: new Date(Date.now() + 1_000) })
    const outbox = await replica()
    const { bus, times } = countingBus()
    outbox.startRelay(bus)
    await allPublished()
    expect([...times.values()]).toEqual([1, 1, 1])
    expect(await rows().countDocuments({ claimed_by: { $exists: true } })).toBe(0)
  })

  test('leave to the others what they cannot publish, at once when they stop', async () => {
    const [cut, well] = [await replica(), await replica()]
    cut.startRelay(countingBus(() => Promise.reject(new Error('the broker cannot be reached from here'))).bus)
    for (let index = 0; index < 3; index += 1)
      await cut.transaction(async tx =>
        tx.publish('session.started', 's', { sid: 's', person_id: 'p', started_at: '' }),
      )
    await cut.stopRelay()
    expect(await rows().countDocuments({ pending: true, claimed_by: { $exists: false } })).toBe(3)
    const { bus, times } = countingBus()
    well.startRelay(bus)
    await allPublished()
    expect([...times.values()]).toEqual([1, 1, 1])
  })
})

test('a backlog says how many wait and since when', async () => {
  const outbox = await replica()
  expect(await outbox.backlog()).toEqual({ count: 0, oldest: undefined })
  await leftBehind(7)
  expect(await outbox.backlog()).toEqual({ count: 7, oldest: 1_000 })
})
