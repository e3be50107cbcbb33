import { afterEach, describe, expect, jest, test } from '@jest/globals'
import type { DomainEvent } from '@watchline/contracts/events'
import { createMemoryLiveStore } from '@watchline/kit/live/memory-live-store'
import { type Relay, startRelay } from '@watchline/kit/messaging/outbox-relay'
import { createLogger } from '@watchline/kit/observability/log'
import { eventually } from '@watchline/testing/harness'

const log = createLogger('test', 'silent')
const live = createMemoryLiveStore()
let relay: Relay | undefined
afterEach(() => relay?.stop())

/** An outbox in memory with one pending event for each id. */
function createOutboxStub(...ids: string[]) {
  const events = new Map(ids.map(id => [id, { id, type: 'user.created' } as DomainEvent]))
  return {
    events,
    add: (id: string) => events.set(id, { id, type: 'user.created' } as DomainEvent),
    claim: async (limit: number, except: ReadonlySet<string>) =>
      [...events]
        .filter(([id]) => !except.has(id))
        .slice(0, limit)
        .map(([id, event]) => ({ id, event })),
    release: async () => {},
    markPublished: async (published: string[]) => {
      for (const id of published) events.delete(id)
    },
  }
}

function createBusStub(publish: (event: DomainEvent) => Promise<void>) {
  const listeners: (() => void)[] = []
  const onPublishable = (listener: () => void) => void listeners.push(listener)
  return { publish, onPublishable, reconnect: () => listeners.forEach(listener => void listener()) }
}

describe('the relay of the outbox', () => {
  test('a slow event delays no other event and is published in the end', async () => {
    const slow = Promise.withResolvers<void>()
    const pendingEvents = createOutboxStub('slow', 'b', 'c')
    const bus = createBusStub(event => (event.id === 'slow' ? slow.promise : Promise.resolve()))
    relay = startRelay({ pendingEvents, live, log, bus })
    await eventually(() => pendingEvents.events.size === 1)
    pendingEvents.add('d')
    relay.offer([{ id: 'd', event: pendingEvents.events.get('d') }])
    await eventually(() => !pendingEvents.events.has('d'))
    expect([...pendingEvents.events.keys()]).toEqual(['slow'])
    slow.resolve()
    await eventually(() => pendingEvents.events.size === 0)
  })

  test('a failing event is retried until it succeeds, with one attempt at a time', async () => {
    const pendingEvents = createOutboxStub('a')
    let attempts = 0
    let running = 0
    relay = startRelay({
      pendingEvents,
      live,
      log,
      bus: createBusStub(async () => {
        attempts += 1
        running += 1
        expect(running).toBe(1)
        await new Promise(setImmediate)
        running -= 1
        if (attempts < 3) throw new Error('the broker is away')
      }),
    })
    await eventually(() => pendingEvents.events.size === 0)
    expect(attempts).toBe(3)
  })

  test('a backlog larger than one claim is published completely', async () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => `e${index}`)
    const pendingEvents = createOutboxStub(...ids)
    const published: string[] = []
    relay = startRelay({ pendingEvents, live, log, bus: createBusStub(async event => void published.push(event.id)) })
    await eventually(() => pendingEvents.events.size === 0)
    expect(published).toEqual(ids)
  })

  test('an event that failed while the bus was unavailable is retried at once after its reconnection', async () => {
    const pendingEvents = createOutboxStub('a', 'b')
    let isUnavailable = true
    let attempts = 0
    const bus = createBusStub(async () => {
      attempts += 1
      if (isUnavailable) throw new Error('the broker is away')
    })
    relay = startRelay({ pendingEvents, live, log, bus })
    // After these attempts the next one is seconds away.
    await eventually(() => attempts >= 8)
    isUnavailable = false
    const before = attempts
    bus.reconnect()
    await eventually(() => pendingEvents.events.size === 0)
    expect(attempts).toBe(before + 2)
  })

  test('a failure just after the reconnection is retried soon, because the back-off starts again', async () => {
    const pendingEvents = createOutboxStub('a')
    let attempts = 0
    let failing = Number.POSITIVE_INFINITY
    const bus = createBusStub(async () => {
      attempts += 1
      failing -= 1
      if (failing >= 0) throw new Error('the broker is not ready')
    })
    relay = startRelay({ pendingEvents, live, log, bus })
    // The back-off is now seconds long and would still grow.
    await eventually(() => attempts >= 5)
    failing = 1
    const timeouts = jest.spyOn(globalThis, 'setTimeout')
    bus.reconnect()
    await eventually(() => pendingEvents.events.size === 0)
    const longestMs = Math.max(...timeouts.mock.calls.map(([, ms]) => ms ?? 0))
    timeouts.mockRestore()
    expect(longestMs).toBeLessThan(3_000)
  })

  test('an unavailable bus is logged from time to time, not for every event', async () => {
    const pendingEvents = createOutboxStub(...Array.from({ length: 300 }, (_, index) => `e${index}`))
    const warnings: unknown[] = []
    let attempts = 0
    const failing = createBusStub(async () => {
      attempts += 1
      throw new Error('the broker is away')
    })
    const recordingLog = createLogger('test', 'warn', { write: line => void warnings.push(line) })
    relay = startRelay({ pendingEvents, live, log: recordingLog, bus: failing })
    await eventually(() => attempts > 600)
    expect(warnings).toHaveLength(1)
  })

  test('a published event that could not be marked is marked later', async () => {
    const pendingEvents = createOutboxStub('a')
    let fails = true
    relay = startRelay({
      pendingEvents: {
        ...pendingEvents,
        markPublished: async ids => {
          if (fails) {
            fails = false
            throw new Error('the database is away')
          }
          return pendingEvents.markPublished(ids)
        },
      },
      live,
      log,
      bus: createBusStub(async () => {}),
    })
    await eventually(() => pendingEvents.events.size === 0)
  })
})
