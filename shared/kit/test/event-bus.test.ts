import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { DomainEvent } from '@watchline/contracts/events'
import { eventually, serverUrl } from '@watchline/testing/harness'
import { type DeadLetter, type EventBus, EventBusUnavailable, PoisonError } from '../src/messaging/event-bus.ts'
import { createInProcessBus } from '../src/messaging/in-process-bus.ts'
import { createRabbitBus } from '../src/messaging/rabbitmq/rabbitmq-bus.ts'
import { removeFromRabbit, uniqueName } from './servers.ts'

const groups = ['alpha', 'beta']
const retryDelaysMs = [20, 40]
const catalogue: Record<string, string[]> = { 'thing.done': ['alpha'], 'thing.shared': ['alpha', 'beta'] }
const consumersOf = (type: string) => catalogue[type] ?? []

/** `another` is the bus as the next process has it; in one process there is only the one. */
interface World {
  bus: EventBus
  another(): Promise<EventBus>
  destroy(): Promise<void>
}

const adapters = {
  'in-process': async (): Promise<World> => {
    const bus = createInProcessBus({ consumersOf, retryDelaysMs })
    return { bus, another: async () => bus, destroy: () => bus.close() }
  },
  rabbitmq: async (): Promise<World> => {
    const exchange = uniqueName()
    const opened: EventBus[] = []
    const another = async () => {
      const bus = await createRabbitBus({ url: serverUrl('AMQP_URL'), exchange, consumersOf, retryDelaysMs })
      opened.push(bus)
      return bus
    }
    const destroy = async () => {
      await Promise.all(opened.map(bus => bus.close()))
      await removeFromRabbit(exchange, groups, retryDelaysMs.length)
    }
    return { bus: await another(), another, destroy }
  },
}

let sequence = 0
function event(type = 'thing.done', data: unknown = {}): DomainEvent {
  const id = `event-${++sequence}`
  return { specversion: '1.0', id, source: 'test', type, subject: 'thing-1', time: new Date().toISOString(), data }
}

/** A handler that remembers the ids it got. */
function recorder() {
  const ids: string[] = []
  const handler = async (received: unknown) => {
    ids.push((received as DomainEvent).id)
  }
  return { ids, handler }
}

/** A promise and what settles it: lets a test decide when a handler goes on. */
function gate() {
  let open = () => {}
  const passed = new Promise<void>(resolve => {
    open = resolve
  })
  return { passed, open }
}

function settling(promise: Promise<void>) {
  const watched = { promise, settled: false }
  promise.finally(() => {
    watched.settled = true
  })
  return watched
}

/** The contract of the port, for every adapter. */
describe.each(Object.entries(adapters))('event bus: %s', (_name, open) => {
  let world: World
  let bus: EventBus

  beforeEach(async () => {
    world = await open()
    bus = world.bus
  })
  afterEach(() => world.destroy())

  /** Many round trips: whatever does not wait for a handler is done by then. */
  async function busyElsewhere() {
    for (let trip = 0; trip < 10; trip++) await bus.deadLetters('beta')
  }

  test('is well', () => {
    expect(bus.health()).toBeUndefined()
  })

  test('an event arrives as it was published', async () => {
    const received: unknown[] = []
    await bus.consume({ group: 'alpha', types: ['thing.done'] }, async each => void received.push(each))
    const sent = { ...event('thing.done', { text: 'Grüße ✓', list: [1, { deep: null }] }), traceparent: '00-1-2-01' }
    await bus.publish(sent)
    await eventually(() => expect(received).toEqual([sent]))
  })

  test('every group that consumes a type gets each event of it, and no other', async () => {
    const [alpha, beta] = [recorder(), recorder()]
    await bus.consume({ group: 'alpha', types: ['thing.done', 'thing.shared'] }, alpha.handler)
    await (await world.another()).consume({ group: 'beta', types: ['thing.shared'] }, beta.handler)
    const [done, shared] = [event('thing.done'), event('thing.shared')]
    await bus.publish(done)
    await bus.publish(shared)
    await eventually(() => {
      expect([...alpha.ids].sort()).toEqual([done.id, shared.id].sort())
      expect(beta.ids).toEqual([shared.id])
    })
  })

  test('within a group each event goes to one consumer, and all take their share', async () => {
    const [first, second] = [recorder(), recorder()]
    const both = gate()
    const meet = (mine: ReturnType<typeof recorder>) => async (received: unknown) => {
      await mine.handler(received)
      // Nobody finishes before both have begun: one alone cannot take everything.
      if (first.ids.length > 0 && second.ids.length > 0) both.open()
      await both.passed
    }
    await bus.consume({ group: 'alpha', types: ['thing.done'], prefetch: 5 }, meet(first))
    await (await world.another()).consume({ group: 'alpha', types: ['thing.done'], prefetch: 5 }, meet(second))
    const events = Array.from({ length: 40 }, () => event())
    await Promise.all(events.map(each => bus.publish(each)))
    await eventually(() => expect([...first.ids, ...second.ids].sort()).toEqual(events.map(each => each.id).sort()))
  })

  test('a consumer has at most prefetch events at once', async () => {
    let running = 0
    let most = 0
    let handled = 0
    await bus.consume({ group: 'alpha', types: ['thing.done'], prefetch: 3 }, async () => {
      most = Math.max(most, ++running)
      await new Promise(resolve => setImmediate(resolve))
      running--
      handled++
    })
    await Promise.all(Array.from({ length: 30 }, () => bus.publish(event())))
    await eventually(() => expect(handled).toBe(30))
    expect(most).toBeLessThanOrEqual(3)
    expect(most).toBeGreaterThan(1)
  })

  test('an event whose handler fails comes again, to that group only', async () => {
    const [alpha, beta] = [recorder(), recorder()]
    await bus.consume({ group: 'alpha', types: ['thing.shared'] }, async received => {
      await alpha.handler(received)
      if (alpha.ids.length < 3) throw new Error('not yet')
    })
    await bus.consume({ group: 'beta', types: ['thing.shared'] }, beta.handler)
    const failing = event('thing.shared')
    await bus.publish(failing)
    await eventually(() => expect(alpha.ids).toEqual([failing.id, failing.id, failing.id]))
    await eventually(() => expect(beta.ids).toEqual([failing.id]))
    expect(await bus.deadLetters('alpha')).toEqual([])
  })

  test('an event that keeps failing goes to the dead letters after a bounded number of tries', async () => {
    const alpha = recorder()
    await bus.consume({ group: 'alpha', types: ['thing.done'] }, async received => {
      await alpha.handler(received)
      throw new Error('never')
    })
    const doomed = event()
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

  test('one failing event does not hold up the others', async () => {
    const alpha = recorder()
    const bad = event()
    await bus.consume({ group: 'alpha', types: ['thing.done'], prefetch: 1 }, async received => {
      if ((received as DomainEvent).id === bad.id) throw new Error('never')
      await alpha.handler(received)
    })
    const good = Array.from({ length: 5 }, () => event())
    await Promise.all([bad, ...good].map(each => bus.publish(each)))
    await eventually(() => expect([...alpha.ids].sort()).toEqual(good.map(each => each.id).sort()))
  })

  test('poison goes to the dead letters at once', async () => {
    const alpha = recorder()
    await bus.consume({ group: 'alpha', types: ['thing.done'] }, async received => {
      await alpha.handler(received)
      throw new PoisonError('fits no schema')
    })
    const poison = event()
    await bus.publish(poison)
    await eventually(async () =>
      expect(await bus.deadLetters('alpha')).toMatchObject([{ event: poison, reason: 'PoisonError: fits no schema' }]),
    )
    expect(alpha.ids).toEqual([poison.id])
  })

  test('dead letters can be listed again and again, and re-driven once', async () => {
    const alpha = recorder()
    let mended = false
    await bus.consume({ group: 'alpha', types: ['thing.shared'] }, async received => {
      if (!mended) throw new PoisonError('the consumer has a fault')
      await alpha.handler(received)
    })
    const beta = recorder()
    await bus.consume({ group: 'beta', types: ['thing.shared'] }, beta.handler)
    const events = Array.from({ length: 3 }, () => event('thing.shared'))
    for (const each of events) await bus.publish(each)
    const ids = events.map(each => each.id).sort()
    const listed = async () => (await bus.deadLetters('alpha')).map(letter => (letter.event as DomainEvent).id).sort()
    await eventually(async () => expect(await listed()).toEqual(ids))
    for (let look = 0; look < 3; look++) expect(await eventually(listed)).toEqual(ids)
    mended = true
    expect(await (await world.another()).redrive('alpha')).toBe(3)
    await eventually(() => expect([...alpha.ids].sort()).toEqual(ids))
    expect(await bus.deadLetters('alpha')).toEqual([])
    expect(await bus.redrive('alpha')).toBe(0)
    expect([...beta.ids].sort()).toEqual(ids)
  })

  /** A group that takes nothing, and these dead letters of it. */
  async function withDeadLetters(count: number) {
    const state = { mended: false, handled: [] as string[] }
    await bus.consume({ group: 'alpha', types: ['thing.done'] }, async received => {
      if (!state.mended) throw new PoisonError('unreadable')
      state.handled.push((received as DomainEvent).id)
    })
    const events = Array.from({ length: count }, () => event())
    for (const each of events) await bus.publish(each)
    const listed = async () => (await bus.deadLetters('alpha')).map(letter => letter.id).sort()
    await eventually(async () => expect(await listed()).toHaveLength(count))
    return { state, ids: events.map(each => each.id).sort(), listed }
  }

  test('some dead letters can be re-driven by their ids, and the others stay', async () => {
    const { state, ids, listed } = await withDeadLetters(4)
    state.mended = true
    const [first, second, ...others] = ids
    await eventually(async () => expect(await bus.redrive('alpha', [first!, second!, 'unknown'])).toBe(2))
    await eventually(() => expect(state.handled.sort()).toEqual([first, second]))
    await eventually(async () => expect(await listed()).toEqual(others))
  })

  test('dead letters can be dropped, by their ids or all; each is kept elsewhere first', async () => {
    const { ids, listed } = await withDeadLetters(4)
    const kept: string[] = []
    const keep = async (letter: DeadLetter) => void kept.push(letter.id)
    await eventually(async () => expect(await bus.drop('alpha', [ids[1]!, 'unknown'], keep)).toBe(1))
    expect(kept).toEqual([ids[1]])
    await eventually(async () => expect(await listed()).toEqual([ids[0], ids[2], ids[3]]))
    await eventually(async () => {
      await bus.drop('alpha', 'all', keep)
      expect([...kept].sort()).toEqual(ids)
    })
    expect(await listed()).toEqual([])
    expect(await bus.drop('alpha', 'all', keep)).toBe(0)
  })

  test('hundreds dropped at once are gone, and do not come back', async () => {
    const { listed } = await withDeadLetters(300)
    const kept = new Set<string>()
    await eventually(async () => {
      await bus.drop('alpha', 'all', async letter => {
        expect([letter.id, kept.has(letter.id)]).toEqual([letter.id, false])
        kept.add(letter.id)
      })
      expect(kept.size).toBe(300)
    })
    await busyElsewhere()
    expect(await listed()).toEqual([])
  })

  test('what could not be kept elsewhere is not dropped', async () => {
    const { ids, listed } = await withDeadLetters(2)
    await eventually(async () => expect(await listed()).toEqual(ids))
    await eventually(() =>
      expect(bus.drop('alpha', 'all', () => Promise.reject(new Error('the disk is full')))).rejects.toThrow('full'),
    )
    await eventually(async () => expect(await listed()).toEqual(ids))
  })

  test('a re-driven event remembers the tries of its earlier life', async () => {
    const { ids } = await withDeadLetters(1)
    await eventually(async () => expect(await bus.redrive('alpha')).toBe(1))
    const reason = 'PoisonError: unreadable'
    await eventually(async () =>
      expect(await bus.deadLetters('alpha')).toMatchObject([{ id: ids[0], tries: [{ reason }, { reason }] }]),
    )
  })

  test('a handler is told which try it is, and a re-driven event begins anew', async () => {
    const attempts: number[] = []
    await bus.consume({ group: 'alpha', types: ['thing.done'] }, async (_event, { attempt }) => {
      attempts.push(attempt)
      if (attempts.length < 4) throw new Error('not yet')
    })
    await bus.publish(event())
    await eventually(async () => expect(await bus.deadLetters('alpha')).toHaveLength(1))
    await eventually(async () => expect(await bus.redrive('alpha')).toBe(1))
    await eventually(() => expect(attempts).toEqual([1, 2, 3, 1]))
  })

  test('how much waits and how much is dead can be asked; of a group never heard of, nothing', async () => {
    expect(await bus.depth('beta')).toBeUndefined()
    await withDeadLetters(2)
    await eventually(async () => expect(await bus.depth('alpha')).toEqual({ waiting: 0, dead: 2 }))
    const hold = gate()
    await bus.consume({ group: 'beta', types: ['thing.shared'], prefetch: 1 }, () => hold.passed)
    await bus.consume({ group: 'alpha', types: ['thing.shared'] }, async () => {})
    const published = Promise.all([1, 2, 3].map(() => bus.publish(event('thing.shared'))))
    await eventually(async () => expect(await bus.depth('beta')).toEqual({ waiting: 2, dead: 0 }))
    hold.open()
    await published
  })

  test('a re-driven event that still fails is a dead letter again', async () => {
    let tries = 0
    await bus.consume({ group: 'alpha', types: ['thing.done'] }, async () => {
      tries++
      throw new PoisonError('still')
    })
    await bus.publish(event())
    await eventually(async () => expect(await bus.deadLetters('alpha')).toHaveLength(1))
    // What was only looked at is put back by the broker in its own time.
    await eventually(async () => expect(await bus.redrive('alpha')).toBe(1))
    await eventually(async () => {
      expect(tries).toBe(2)
      expect(await bus.deadLetters('alpha')).toHaveLength(1)
    })
  })

  test('a group that begins to consume only after the publishing gets the event', async () => {
    const alpha = recorder()
    const early = event()
    const published = bus.publish(early)
    await (await world.another()).consume({ group: 'alpha', types: ['thing.done'] }, alpha.handler)
    await published
    await eventually(() => expect(alpha.ids).toEqual([early.id]))
  })

  test('an event nobody must get is published to nobody', async () => {
    await expect(bus.publish(event('nobody.cares'))).resolves.toBeUndefined()
  })

  test('everyone who follows gets each event of the types followed, without holding anybody up', async () => {
    const another = await world.another()
    const seen: string[][] = [[], []]
    const subscriptions = await Promise.all(
      [bus, another].map((each, index) =>
        each.subscribeLive({ types: ['nobody.cares', 'thing.done'] }, received => {
          seen[index]!.push((received as DomainEvent).id)
          throw new Error('a follower that fails')
        }),
      ),
    )
    const alpha = recorder()
    await bus.consume({ group: 'alpha', types: ['thing.done', 'thing.shared'] }, alpha.handler)
    await bus.consume({ group: 'beta', types: ['thing.shared'] }, async () => {})
    const [live, ignored, durable] = [event('nobody.cares'), event('thing.shared'), event('thing.done')]
    for (const each of [live, ignored, durable]) await bus.publish(each)
    await eventually(() =>
      expect(seen).toEqual([
        [live.id, durable.id],
        [live.id, durable.id],
      ]),
    )
    await eventually(() => expect(alpha.ids).toContain(durable.id))

    await subscriptions[0]!.cancel()
    const after = event('nobody.cares')
    await bus.publish(after)
    await eventually(() => expect(seen[1]).toContain(after.id))
    expect(seen[0]).not.toContain(after.id)
  })

  test('handlers share nothing: with each other, with followers, with the publisher', async () => {
    const sent = event('thing.shared', { list: ['original'] })
    const received: DomainEvent[] = []
    const spoil = async (each: unknown) => {
      const mine = each as DomainEvent & { data: { list: string[] } }
      received.push(structuredClone(mine))
      mine.data.list.push('spoiled')
      mine.subject = 'spoiled'
      if (received.length === 1) throw new Error('again')
    }
    await bus.subscribeLive({ types: ['thing.shared'] }, each => void spoil(each).catch(() => {}))
    await bus.consume({ group: 'alpha', types: ['thing.shared'] }, spoil)
    await bus.consume({ group: 'beta', types: ['thing.shared'] }, spoil)
    const before = structuredClone(sent)
    await bus.publish(sent)
    await eventually(() => expect(received.length).toBeGreaterThanOrEqual(3))
    expect(sent).toEqual(before)
    for (const each of received) expect(each).toEqual(before)
  })

  test('a cancelled consumer finishes what it took, and takes no more', async () => {
    const [begun, finish] = [gate(), gate()]
    const [first, second] = [recorder(), recorder()]
    const subscription = await bus.consume({ group: 'alpha', types: ['thing.done'] }, async received => {
      begun.open()
      await finish.passed
      await first.handler(received)
    })
    const taken = event()
    const published = bus.publish(taken)
    await begun.passed
    const cancelled = settling(subscription.cancel())
    await busyElsewhere()
    expect(cancelled.settled).toBe(false)
    finish.open()
    await cancelled.promise
    expect(first.ids).toEqual([taken.id])
    await published
    await bus.consume({ group: 'alpha', types: ['thing.done'] }, second.handler)
    const next = event()
    await bus.publish(next)
    await eventually(() => expect(second.ids).toEqual([next.id]))
    expect(first.ids).toEqual([taken.id])
  })

  test('close waits for the handlers in progress; what they finished does not come again', async () => {
    const [begun, finish] = [gate(), gate()]
    const finished = recorder()
    const closing = await world.another()
    await closing.consume({ group: 'alpha', types: ['thing.done'] }, async received => {
      begun.open()
      await finish.passed
      await finished.handler(received)
    })
    const taken = event()
    const published = bus.publish(taken)
    await begun.passed
    const closed = settling(closing.close())
    await busyElsewhere()
    expect(closed.settled).toBe(false)
    finish.open()
    await closed.promise
    expect(finished.ids).toEqual([taken.id])
    await published
    await expect(closing.publish(event())).rejects.toThrow(EventBusUnavailable)
    expect(closing.health()).toBe('the event bus is closed')
  })

  test('hundreds published at once all arrive', async () => {
    const alpha = recorder()
    await bus.consume({ group: 'alpha', types: ['thing.done'] }, alpha.handler)
    const events = Array.from({ length: 600 }, () => event())
    await Promise.all(events.map(each => bus.publish(each)))
    await eventually(() => expect([...alpha.ids].sort()).toEqual(events.map(each => each.id).sort()))
  })
})
