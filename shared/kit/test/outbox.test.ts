import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { DomainEvent } from '@watchline/contracts/events'
import { systemClock } from '@watchline/kit/core/clock'
import { createMemoryLiveStore } from '@watchline/kit/live/memory-live-store'
import type { EventBus } from '@watchline/kit/messaging/event-bus'
import { createOutbox, type Outbox } from '@watchline/kit/messaging/outbox'
import { createDatabase, ensureIndexes, openDatabase } from '@watchline/kit/mongo/database'
import { createTestWorld, eventually, type TestWorld } from '@watchline/testing/harness'

let world: TestWorld
const cleanups: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  world = await createTestWorld()
})
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
  await world.close()
})

/** The outbox of one more replica of a service, on the same database. */
async function openReplica(): Promise<Outbox> {
  const connection = createDatabase()
  const live = createMemoryLiveStore()
  const outbox = createOutbox({ connection, source: 'auth', live, clock: systemClock, log: world.ports.log! })
  await openDatabase(connection, world.config.mongoUrl, `${world.config.databasePrefix}-auth`)
  await ensureIndexes(connection)
  cleanups.push(() => connection.close(), outbox.stopRelay, live.close)
  return outbox
}

/** A slow bus that counts the calls for each event, and the most calls at the same time. */
function createCountingBus(publish: (event: DomainEvent) => Promise<void> = () => new Promise(setImmediate)) {
  const times = new Map<string, number>()
  const state = { running: 0, mostRunning: 0 }
  const bus = {
    onPublishable: () => {},
    publish: async (event: DomainEvent) => {
      times.set(event.id, (times.get(event.id) ?? 0) + 1)
      state.mostRunning = Math.max(state.mostRunning, ++state.running)
      await publish(event).finally(() => state.running--)
    },
  }
  return { times, state, bus: bus as unknown as EventBus }
}

const storedEvents = () => world.database('auth').collection<{ _id: string; [field: string]: unknown }>('outbox')

/** Stores pending events as a terminated process left them. */
async function insertPendingEvents(count: number) {
  const event = { type: 'user.created' }
  await storedEvents().insertMany(
    Array.from({ length: count }, (_, index) => {
      const _id = `event-${index}`
      return { _id, seq: new Date(1_000 + index), pending: true, event: { ...event, id: _id } }
    }),
  )
}

const waitUntilPublished = () => eventually(async () => (await storedEvents().countDocuments({ pending: true })) === 0)

describe('the relays of several replicas', () => {
  test('share a backlog in claims of hundreds, and publish every event once', async () => {
    const replicas = [await openReplica(), await openReplica(), await openReplica()]
    await insertPendingEvents(5_000)
    const counting = replicas.map(() => createCountingBus())
    for (const [index, outbox] of replicas.entries()) outbox.startRelay(counting[index]!.bus)
    await waitUntilPublished()
    const times = counting.flatMap(counter => [...counter.times.values()])
    expect(times).toHaveLength(5_000)
    expect(new Set(times)).toEqual(new Set([1]))
    expect(Math.max(...counting.map(counter => counter.state.mostRunning))).toBeGreaterThan(256)
  })

  test('publish the events of their own transactions', async () => {
    const [committing, idle] = [await openReplica(), await openReplica()]
    const [committingBus, idleBus] = [createCountingBus(), createCountingBus()]
    committing.startRelay(committingBus.bus)
    idle.startRelay(idleBus.bus)
    for (let index = 0; index < 20; index += 1)
      await committing.transaction(async tx =>
        tx.publish('session.started', 's', { sid: 's', person_id: 'p', started_at: '' }),
      )
    await waitUntilPublished()
    expect([committingBus.times.size, idleBus.times.size]).toEqual([20, 0])
  })

  test('publish the events of a terminated relay after its claim lease', async () => {
    await insertPendingEvents(4)
    const claimed = { _id: { $ne: 'event-3' } }
    const setClaimEnd = (claimed_until: Date) =>
      storedEvents().updateMany(claimed, { $set: { claimed_by: 'the dead', claimed_until } })
    await setClaimEnd(new Date(Date.now() + 3_600_000))
    const outbox = await openReplica()
    const { bus, times } = createCountingBus()
    outbox.startRelay(bus)
    // The newest event is free, so a relay that ignored claims would publish the others before it.
    await eventually(async () => (await storedEvents().countDocuments({ pending: true })) === 3)
    expect([...times.keys()]).toEqual(['event-3'])

    await setClaimEnd(new Date(Date.now() - 1))
    await waitUntilPublished()
    expect([...times.values()]).toEqual([1, 1, 1, 1])
    expect(await storedEvents().countDocuments({ claimed_by: { $exists: true } })).toBe(0)
  })

  test('release their claims when they stop, so that others publish at once', async () => {
    const [disconnected, connected] = [await openReplica(), await openReplica()]
    disconnected.startRelay(
      createCountingBus(() => Promise.reject(new Error('the broker cannot be reached from here'))).bus,
    )
    for (let index = 0; index < 3; index += 1)
      await disconnected.transaction(async tx =>
        tx.publish('session.started', 's', { sid: 's', person_id: 'p', started_at: '' }),
      )
    await disconnected.stopRelay()
    expect(await storedEvents().countDocuments({ pending: true, claimed_by: { $exists: false } })).toBe(3)
    const { bus, times } = createCountingBus()
    connected.startRelay(bus)
    await waitUntilPublished()
    expect([...times.values()]).toEqual([1, 1, 1])
  })
})

test('a row has the fields of its event, without undefined ones', async () => {
  const outbox = await openReplica()
  const data = {
    person_id: 'p1',
    playlist_id: 'l1',
    completed_at: '2026-01-01T00:00:00.000Z',
    playlist_title: undefined,
  }
  await outbox.transaction(async tx => {
    tx.publish('playlist.completed', 'p1', data)
    tx.bumpVersions('tasks:p1')
  })
  await outbox.transaction(async tx => tx.bumpVersions('tasks:p2'))
  const row = await storedEvents().findOne({ event: { $exists: true } })
  const bump = await storedEvents().findOne({ event: { $exists: false } })
  const { playlist_title: _, ...stored } = data
  expect(row).toMatchObject({ pending: true, seq: expect.any(Date), raises: ['tasks:p1'] })
  expect(row!.event).toMatchObject({ id: row!._id, type: 'playlist.completed', data: stored })
  expect(Object.keys((row!.event as { data: object }).data)).toEqual(Object.keys(stored))
  expect(Object.keys(row!)).not.toContain('__v')
  expect(bump).toMatchObject({ pending: true, raises: ['tasks:p2'] })
  expect(bump).not.toHaveProperty('event')
})

test('the backlog has the number of pending events and the time of the oldest', async () => {
  const outbox = await openReplica()
  expect(await outbox.backlog()).toEqual({ count: 0, oldest: undefined })
  await insertPendingEvents(7)
  expect(await outbox.backlog()).toEqual({ count: 7, oldest: 1_000 })
})
