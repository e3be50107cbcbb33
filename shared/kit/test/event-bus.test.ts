import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { DomainEvent } from '@watchline/contracts/events'
import { eventually, serverUrl } from '@watchline/testing/harness'
import { type DeadLetter, type EventBus, EventBusUnavailable, PoisonError } from '../src/messaging/event-bus.ts'
import { createInProcessBus } from '../src/messaging/in-process/in-process-bus.ts'
import { createRabbitBus } from '../src/messaging/rabbitmq/rabbitmq-bus.ts'
import { removeFromRabbit, uniqueName } from './servers.ts'

const groups = ['alpha', 'beta']
const retryDelaysMs = [20, 40]
const catalogue: Record<string, string[]> = { 'thing.done': ['alpha'], 'thing.shared': ['alpha', 'beta'] }
const consumersOf = (type: string) => catalogue[type] ?? []

/** `openPeer` opens the bus of another process; the in-process adapter has only one bus. */
interface BusFixture {
  bus: EventBus
  openPeer(): Promise<EventBus>
  destroy(): Promise<void>
}

const adapters = {
  'in-process': async (): Promise<BusFixture> => {
    const bus = createInProcessBus({ consumersOf, retryDelaysMs })
    return { bus, openPeer: async () => bus, destroy: () => bus.close() }
  },
  rabbitmq: async (): Promise<BusFixture> => {
    const exchange = uniqueName()
    const openedBuses: EventBus[] = []
    const openPeer = async () => {
      const bus = await createRabbitBus({ url: serverUrl('AMQP_URL'), exchange, consumersOf, retryDelaysMs })
      openedBuses.push(bus)
      return bus
    }
    const destroy = async () => {
      await Promise.all(openedBuses.map(bus => bus.close()))
      await removeFromRabbit(exchange, groups, retryDelaysMs.length)
    }
    return { bus: await openPeer(), openPeer, destroy }
  },
}

let sequence = 0
function makeEvent(type = 'thing.done', data: unknown = {}): DomainEvent {
  const id = `event-${++sequence}`
  return { specversion: '1.0', id, source: 'test', type, subject: 'thing-1', time: new Date().toISOString(), data }
}

/** A handler that records the ids of its events. */
function createRecorder() {
  const ids: string[] = []
  const handler = async (received: unknown) => {
    ids.push((received as DomainEvent).id)
  }
  return { ids, handler }
}

/** The promise, and whether it has settled. */
function trackSettled(promise: Promise<void>) {
  const tracked = { promise, settled: false }
  promise.finally(() => {
    tracked.settled = true
  })
  return tracked
}

/** The contract of the port, for every adapter. */
describe.each(Object.entries(adapters))('event bus: %s', (_name, openFixture) => {
  let fixture: BusFixture
  let bus: EventBus

  beforeEach(async () => {
    fixture = await openFixture()
    bus = fixture.bus
  })
  afterEach(() => fixture.destroy())

  /** Makes many round trips. Everything that waits for no handler has ended after them. */
  async function makeRoundTrips() {
    for (let trip = 0; trip < 10; trip++) await bus.deadLetters('beta')
  }

  test('is healthy after the start', () => {
    expect(bus.health()).toBeUndefined()
  })

  test('an event arrives as it was published', async () => {
    const received: unknown[] = []
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.done'] }, async event => void received.push(event))
    const sent = {
      ...makeEvent('thing.done', { text: 'Grüße ✓', list: [1, { deep: null }] }),
      traceparent: '00-1-2-01',
    }
    await bus.publish(sent)
    await eventually(() => expect(received).toEqual([sent]))
  })

  test('every group receives all events of the types it consumes, and no others', async () => {
    const [alpha, beta] = [createRecorder(), createRecorder()]
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.done', 'thing.shared'] }, alpha.handler)
    await (await fixture.openPeer()).consume({ consumerGroup: 'beta', types: ['thing.shared'] }, beta.handler)
    const [done, shared] = [makeEvent('thing.done'), makeEvent('thing.shared')]
    await bus.publish(done)
    await bus.publish(shared)
    await eventually(() => {
      expect([...alpha.ids].sort()).toEqual([done.id, shared.id].sort())
      expect(beta.ids).toEqual([shared.id])
    })
  })

  test('within a group each event goes to one consumer, and every consumer gets some', async () => {
    const [first, second] = [createRecorder(), createRecorder()]
    const bothStarted = Promise.withResolvers<void>()
    const waitForBoth = (recorder: ReturnType<typeof createRecorder>) => async (received: unknown) => {
      await recorder.handler(received)
      // No handler finishes before both consumers have an event, so one cannot consume everything.
      if (first.ids.length > 0 && second.ids.length > 0) bothStarted.resolve()
      await bothStarted.promise
    }
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.done'], prefetch: 5 }, waitForBoth(first))
    await (await fixture.openPeer()).consume(
      { consumerGroup: 'alpha', types: ['thing.done'], prefetch: 5 },
      waitForBoth(second),
    )
    const events = Array.from({ length: 40 }, () => makeEvent())
    await Promise.all(events.map(event => bus.publish(event)))
    await eventually(() => expect([...first.ids, ...second.ids].sort()).toEqual(events.map(event => event.id).sort()))
  })

  test('a consumer handles at most prefetch events at the same time', async () => {
    let running = 0
    let most = 0
    let handled = 0
    const threeRun = Promise.withResolvers<void>()
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.done'], prefetch: 3 }, async () => {
      most = Math.max(most, ++running)
      // No handler finishes before three of them run.
      if (running === 3) threeRun.resolve()
      await threeRun.promise
      await new Promise(resolve => setImmediate(resolve))
      running--
      handled++
    })
    await Promise.all(Array.from({ length: 30 }, () => bus.publish(makeEvent())))
    await eventually(() => expect(handled).toBe(30))
    expect(most).toBe(3)
  })

  test('an event whose handler fails is delivered again, to that group only', async () => {
    const [alpha, beta] = [createRecorder(), createRecorder()]
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.shared'] }, async received => {
      await alpha.handler(received)
      if (alpha.ids.length < 3) throw new Error('not yet')
    })
    await bus.consume({ consumerGroup: 'beta', types: ['thing.shared'] }, beta.handler)
    const failing = makeEvent('thing.shared')
    await bus.publish(failing)
    await eventually(() => expect(alpha.ids).toEqual([failing.id, failing.id, failing.id]))
    await eventually(() => expect(beta.ids).toEqual([failing.id]))
    expect(await bus.deadLetters('alpha')).toEqual([])
  })

  test('an event that keeps failing becomes a dead letter after a bounded number of attempts', async () => {
    const alpha = createRecorder()
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.done'] }, async received => {
      await alpha.handler(received)
      throw new Error('never')
    })
    const doomed = makeEvent()
    await bus.publish(doomed)
    const letters = await eventually(async () => {
      const found = await bus.deadLetters('alpha')
      expect(found).toHaveLength(1)
      return found
    })
    const at = expect.stringMatching(/^\d{4}-.*Z$/)
    const tries = [1, 2, 3].map(() => ({ at, reason: 'Error: never' }))
    expect(letters[0]).toEqual({ id: doomed.id, event: doomed, reason: 'Error: never', at, tries })
    expect(alpha.ids).toHaveLength(1 + retryDelaysMs.length)
  })

  test('a failing event does not delay other events', async () => {
    const alpha = createRecorder()
    const bad = makeEvent()
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.done'], prefetch: 1 }, async received => {
      if ((received as DomainEvent).id === bad.id) throw new Error('never')
      await alpha.handler(received)
    })
    const good = Array.from({ length: 5 }, () => makeEvent())
    await Promise.all([bad, ...good].map(event => bus.publish(event)))
    await eventually(() => expect([...alpha.ids].sort()).toEqual(good.map(event => event.id).sort()))
  })

  test('a poison event becomes a dead letter at the first attempt', async () => {
    const alpha = createRecorder()
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.done'] }, async received => {
      await alpha.handler(received)
      throw new PoisonError('fits no schema')
    })
    const poison = makeEvent()
    await bus.publish(poison)
    await eventually(async () =>
      expect(await bus.deadLetters('alpha')).toMatchObject([{ event: poison, reason: 'PoisonError: fits no schema' }]),
    )
    expect(alpha.ids).toEqual([poison.id])
  })

  test('listing does not consume dead letters; a redrive does', async () => {
    const alpha = createRecorder()
    let isMended = false
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.shared'] }, async received => {
      if (!isMended) throw new PoisonError('the consumer has a fault')
      await alpha.handler(received)
    })
    const beta = createRecorder()
    await bus.consume({ consumerGroup: 'beta', types: ['thing.shared'] }, beta.handler)
    const events = Array.from({ length: 3 }, () => makeEvent('thing.shared'))
    for (const event of events) await bus.publish(event)
    const ids = events.map(event => event.id).sort()
    const listIds = async () => (await bus.deadLetters('alpha')).map(letter => (letter.event as DomainEvent).id).sort()
    // Listing takes the letters from their queue; the broker puts them back some time later.
    for (let look = 0; look < 4; look++) await eventually(async () => expect(await listIds()).toEqual(ids))
    isMended = true
    const peer = await fixture.openPeer()
    await eventually(async () => expect(await peer.redrive('alpha')).toBe(3))
    await eventually(() => expect([...alpha.ids].sort()).toEqual(ids))
    expect(await bus.deadLetters('alpha')).toEqual([])
    expect(await bus.redrive('alpha')).toBe(0)
    expect([...beta.ids].sort()).toEqual(ids)
  })

  /** A consumer that rejects all events until `state.isMended`, and its dead letters. */
  async function withDeadLetters(count: number) {
    const state = { isMended: false, handled: [] as string[] }
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.done'] }, async received => {
      if (!state.isMended) throw new PoisonError('unreadable')
      state.handled.push((received as DomainEvent).id)
    })
    const events = Array.from({ length: count }, () => makeEvent())
    for (const event of events) await bus.publish(event)
    const listIds = async () => (await bus.deadLetters('alpha')).map(letter => letter.id).sort()
    await eventually(async () => expect(await listIds()).toHaveLength(count))
    return { state, ids: events.map(event => event.id).sort(), listIds }
  }

  test('a replaced dead letter stays a dead letter with its reason; without a replacement it is gone', async () => {
    const { ids } = await withDeadLetters(3)
    const [first, second, third] = ids
    const replacementOf = ({ id, event }: DeadLetter) =>
      id === first ? { ...(event as DomainEvent), subject: 'replaced' } : undefined
    await eventually(async () =>
      expect(await bus.replaceDeadLetters('alpha', [first!, second!], replacementOf)).toBe(2),
    )
    await eventually(async () => {
      const letters = await bus.deadLetters('alpha')
      expect(letters.map(letter => letter.id).sort()).toEqual([first, third])
      const replaced = letters.find(({ id }) => id === first)!
      expect(replaced).toMatchObject({ event: { subject: 'replaced' }, reason: 'PoisonError: unreadable' })
      expect(replaced.tries).toHaveLength(1)
    })
  })

  test('a redrive by id leaves all other dead letters', async () => {
    const { state, ids, listIds } = await withDeadLetters(4)
    state.isMended = true
    const [first, second, ...remaining] = ids
    await eventually(async () => expect(await bus.redrive('alpha', [first!, second!, 'unknown'])).toBe(2))
    await eventually(() => expect(state.handled.sort()).toEqual([first, second]))
    await eventually(async () => expect(await listIds()).toEqual(remaining))
  })

  test('dead letters can be dropped, by id or all; each one is archived before', async () => {
    const { ids, listIds } = await withDeadLetters(4)
    const archived: string[] = []
    const archive = async (letter: DeadLetter) => void archived.push(letter.id)
    await eventually(async () => expect(await bus.drop('alpha', [ids[1]!, 'unknown'], archive)).toBe(1))
    expect(archived).toEqual([ids[1]])
    await eventually(async () => expect(await listIds()).toEqual([ids[0], ids[2], ids[3]]))
    await eventually(async () => {
      await bus.drop('alpha', 'all', archive)
      expect([...archived].sort()).toEqual(ids)
    })
    expect(await listIds()).toEqual([])
    expect(await bus.drop('alpha', 'all', archive)).toBe(0)
  })

  test('hundreds of dropped dead letters do not reappear', async () => {
    const { listIds } = await withDeadLetters(300)
    const archived = new Set<string>()
    await eventually(async () => {
      await bus.drop('alpha', 'all', async letter => {
        expect([letter.id, archived.has(letter.id)]).toEqual([letter.id, false])
        archived.add(letter.id)
      })
      expect(archived.size).toBe(300)
    })
    await makeRoundTrips()
    expect(await listIds()).toEqual([])
  })

  test('a dead letter that could not be archived is not dropped', async () => {
    const { ids, listIds } = await withDeadLetters(2)
    await eventually(async () => expect(await listIds()).toEqual(ids))
    await eventually(() =>
      expect(bus.drop('alpha', 'all', () => Promise.reject(new Error('the disk is full')))).rejects.toThrow('full'),
    )
    await eventually(async () => expect(await listIds()).toEqual(ids))
  })

  test('a redriven event keeps the record of its earlier attempts', async () => {
    const { ids } = await withDeadLetters(1)
    await eventually(async () => expect(await bus.redrive('alpha')).toBe(1))
    const reason = 'PoisonError: unreadable'
    await eventually(async () =>
      expect(await bus.deadLetters('alpha')).toMatchObject([{ id: ids[0], tries: [{ reason }, { reason }] }]),
    )
  })

  test('a handler receives the number of the attempt; a redrive starts at 1 again', async () => {
    const attempts: number[] = []
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.done'] }, async (_event, { attempt }) => {
      attempts.push(attempt)
      if (attempts.length < 4) throw new Error('not yet')
    })
    await bus.publish(makeEvent())
    await eventually(async () => expect(await bus.deadLetters('alpha')).toHaveLength(1))
    await eventually(async () => expect(await bus.redrive('alpha')).toBe(1))
    await eventually(() => expect(attempts).toEqual([1, 2, 3, 1]))
  })

  test('depth counts waiting events and dead letters; an unknown group has no depth', async () => {
    expect(await bus.depth('beta')).toBeUndefined()
    await withDeadLetters(2)
    await eventually(async () => expect(await bus.depth('alpha')).toEqual({ waiting: 0, dead: 2 }))
    const blocked = Promise.withResolvers<void>()
    await bus.consume({ consumerGroup: 'beta', types: ['thing.shared'], prefetch: 1 }, () => blocked.promise)
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.shared'] }, async () => {})
    const published = Promise.all([1, 2, 3].map(() => bus.publish(makeEvent('thing.shared'))))
    await eventually(async () => expect(await bus.depth('beta')).toEqual({ waiting: 2, dead: 0 }))
    blocked.resolve()
    await published
  })

  test('a redriven event that still fails is a dead letter again', async () => {
    let attempts = 0
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.done'] }, async () => {
      attempts++
      throw new PoisonError('still')
    })
    await bus.publish(makeEvent())
    await eventually(async () => expect(await bus.deadLetters('alpha')).toHaveLength(1))
    // Listing takes the letters from their queue; the broker puts them back some time later.
    await eventually(async () => expect(await bus.redrive('alpha')).toBe(1))
    await eventually(async () => {
      expect(attempts).toBe(2)
      expect(await bus.deadLetters('alpha')).toHaveLength(1)
    })
  })

  test('a group that starts to consume after the publication receives the event', async () => {
    const alpha = createRecorder()
    const early = makeEvent()
    const published = bus.publish(early)
    await (await fixture.openPeer()).consume({ consumerGroup: 'alpha', types: ['thing.done'] }, alpha.handler)
    await published
    await eventually(() => expect(alpha.ids).toEqual([early.id]))
  })

  test('an event without consumers can be published', async () => {
    await expect(bus.publish(makeEvent('nobody.cares'))).resolves.toBeUndefined()
  })

  test('every live subscriber receives all events of its types, and its failures delay nobody', async () => {
    const buses = [bus, await fixture.openPeer()]
    const received: string[][] = [[], []]
    const subscriptions = await Promise.all(
      buses.map((subscribed, index) =>
        subscribed.subscribeLive({ types: ['nobody.cares', 'thing.done'] }, live => {
          received[index]!.push((live as DomainEvent).id)
          throw new Error('a live subscriber that fails')
        }),
      ),
    )
    const alpha = createRecorder()
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.done', 'thing.shared'] }, alpha.handler)
    await bus.consume({ consumerGroup: 'beta', types: ['thing.shared'] }, async () => {})
    const [live, ignored, durable] = [makeEvent('nobody.cares'), makeEvent('thing.shared'), makeEvent('thing.done')]
    for (const event of [live, ignored, durable]) await bus.publish(event)
    await eventually(() =>
      expect(received).toEqual([
        [live.id, durable.id],
        [live.id, durable.id],
      ]),
    )
    await eventually(() => expect(alpha.ids).toContain(durable.id))

    await subscriptions[0]!.cancel()
    const after = makeEvent('nobody.cares')
    await bus.publish(after)
    await eventually(() => expect(received[1]).toContain(after.id))
    expect(received[0]).not.toContain(after.id)
  })

  test('every handler, live subscriber and publisher has its own copy of an event', async () => {
    const sent = makeEvent('thing.shared', { list: ['original'] })
    const received: DomainEvent[] = []
    const spoil = async (delivered: unknown) => {
      const copy = delivered as DomainEvent & { data: { list: string[] } }
      received.push(structuredClone(copy))
      copy.data.list.push('spoiled')
      copy.subject = 'spoiled'
      if (received.length === 1) throw new Error('again')
    }
    await bus.subscribeLive({ types: ['thing.shared'] }, event => void spoil(event).catch(() => {}))
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.shared'] }, spoil)
    await bus.consume({ consumerGroup: 'beta', types: ['thing.shared'] }, spoil)
    const before = structuredClone(sent)
    await bus.publish(sent)
    await eventually(() => expect(received.length).toBeGreaterThanOrEqual(3))
    expect(sent).toEqual(before)
    for (const event of received) expect(event).toEqual(before)
  })

  test('a cancelled consumer finishes its current event and receives no more', async () => {
    const [started, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const [first, second] = [createRecorder(), createRecorder()]
    const subscription = await bus.consume({ consumerGroup: 'alpha', types: ['thing.done'] }, async received => {
      started.resolve()
      await finish.promise
      await first.handler(received)
    })
    const current = makeEvent()
    const published = bus.publish(current)
    await started.promise
    const cancelled = trackSettled(subscription.cancel())
    await makeRoundTrips()
    expect(cancelled.settled).toBe(false)
    finish.resolve()
    await cancelled.promise
    expect(first.ids).toEqual([current.id])
    await published
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.done'] }, second.handler)
    const next = makeEvent()
    await bus.publish(next)
    await eventually(() => expect(second.ids).toEqual([next.id]))
    expect(first.ids).toEqual([current.id])
  })

  test('close waits for running handlers; their events are not delivered again', async () => {
    const [started, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const finished = createRecorder()
    const closing = await fixture.openPeer()
    await closing.consume({ consumerGroup: 'alpha', types: ['thing.done'] }, async received => {
      started.resolve()
      await finish.promise
      await finished.handler(received)
    })
    const current = makeEvent()
    const published = bus.publish(current)
    await started.promise
    const closed = trackSettled(closing.close())
    await makeRoundTrips()
    expect(closed.settled).toBe(false)
    finish.resolve()
    await closed.promise
    expect(finished.ids).toEqual([current.id])
    await published
    await expect(closing.publish(makeEvent())).rejects.toThrow(EventBusUnavailable)
    expect(closing.health()).toBe('the event bus is closed')
  })

  test('hundreds of events published at the same time all arrive', async () => {
    const alpha = createRecorder()
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.done'] }, alpha.handler)
    const events = Array.from({ length: 600 }, () => makeEvent())
    await Promise.all(events.map(event => bus.publish(event)))
    await eventually(() => expect([...alpha.ids].sort()).toEqual(events.map(event => event.id).sort()))
  })
})
