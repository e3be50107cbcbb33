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

function outboxOf(...ids: string[]) {
  const rows = new Map(ids.map(id => [id, { id, type: 'user.created' } as DomainEvent]))
  return {
    rows,
    add: (id: string) => rows.set(id, { id, type: 'user.created' } as DomainEvent),
    claim: async (limit: number, except: ReadonlySet<string>) =>
      [...rows]
        .filter(([id]) => !except.has(id))
        .slice(0, limit)
        .map(([id, event]) => ({ id, event })),
    release: async () => {},
    markPublished: async (published: string[]) => {
      for (const id of published) rows.delete(id)
    },
  }
}

function busThat(publish: (event: DomainEvent) => Promise<void>) {
  const listeners: (() => void)[] = []
  const onPublishable = (listener: () => void) => void listeners.push(listener)
  return { publish, onPublishable, comeBack: () => listeners.forEach(each => void each()) }
}

describe('the relay of the outbox', () => {
  test('an event somebody is slow with holds up no other, and is published when it can be', async () => {
    let finishSlow: () => void = () => {}
    const slow = new Promise<void>(resolve => {
      finishSlow = resolve
    })
    const waiting = outboxOf('slow', 'b', 'c')
    relay = startRelay({ waiting, live, log, bus: busThat(event => (event.id === 'slow' ? slow : Promise.resolve())) })
    await eventually(() => waiting.rows.size === 1)
    waiting.add('d')
    relay.offer([{ id: 'd', event: waiting.rows.get('d') }])
    await eventually(() => !waiting.rows.has('d'))
    expect([...waiting.rows.keys()]).toEqual(['slow'])
    finishSlow()
    await eventually(() => waiting.rows.size === 0)
  })

  test('what fails is tried again until it succeeds; meanwhile it is published once at a time', async () => {
    const waiting = outboxOf('a')
    let tries = 0
    let atOnce = 0
    relay = startRelay({
      waiting,
      live,
      log,
      bus: busThat(async () => {
        tries += 1
        atOnce += 1
        expect(atOnce).toBe(1)
        await new Promise(setImmediate)
        atOnce -= 1
        if (tries < 3) throw new Error('the broker is away')
      }),
    })
    await eventually(() => waiting.rows.size === 0)
    expect(tries).toBe(3)
  })

  test('more than fit at once are all published', async () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => `e${index}`)
    const waiting = outboxOf(...ids)
    const published: string[] = []
    relay = startRelay({ waiting, live, log, bus: busThat(async event => void published.push(event.id)) })
    await eventually(() => waiting.rows.size === 0)
    expect(published).toEqual(ids)
  })

  test('what failed while the bus was away is tried at once when it is back', async () => {
    const waiting = outboxOf('a', 'b')
    let away = true
    let tries = 0
    const bus = busThat(async () => {
      tries += 1
      if (away) throw new Error('the broker is away')
    })
    relay = startRelay({ waiting, live, log, bus })
    // By then the next try is seconds off.
    await eventually(() => tries >= 8)
    away = false
    const before = tries
    bus.comeBack()
    await eventually(() => waiting.rows.size === 0)
    expect(tries).toBe(before + 2)
  })

  test('what fails once more just after that is tried again soon, not after the wait that it had come to', async () => {
    const waiting = outboxOf('a')
    let tries = 0
    let failing = Number.POSITIVE_INFINITY
    const bus = busThat(async () => {
      tries += 1
      failing -= 1
      if (failing >= 0) throw new Error('the broker is not ready')
    })
    relay = startRelay({ waiting, live, log, bus })
    // By now it waits for seconds, and would wait for longer the next time.
    await eventually(() => tries >= 5)
    failing = 1
    const waits = jest.spyOn(globalThis, 'setTimeout')
    bus.comeBack()
    await eventually(() => waiting.rows.size === 0)
    const longest = Math.max(...waits.mock.calls.map(([, ms]) => ms ?? 0))
    waits.mockRestore()
    expect(longest).toBeLessThan(1_500)
  })

  test('a bus that is away is complained of now and then, not for every event', async () => {
    const waiting = outboxOf(...Array.from({ length: 300 }, (_, index) => `e${index}`))
    const complaints: unknown[] = []
    let tries = 0
    const failing = busThat(async () => {
      tries += 1
      throw new Error('the broker is away')
    })
    const listening = createLogger('test', 'warn', { write: line => void complaints.push(line) })
    relay = startRelay({ waiting, live, log: listening, bus: failing })
    await eventually(() => tries > 600)
    expect(complaints).toHaveLength(1)
  })

  test('what could not be marked is marked at the next chance, and not lost', async () => {
    const waiting = outboxOf('a')
    let fails = true
    relay = startRelay({
      waiting: {
        ...waiting,
        markPublished: async ids => {
          if (fails) {
            fails = false
            throw new Error('the database is away')
          }
          return waiting.markPublished(ids)
        },
      },
      live,
      log,
      bus: busThat(async () => {}),
    })
    await eventually(() => waiting.rows.size === 0)
  })
})
