import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { DomainEvent } from '@watchline/contracts/events'
import { eventually, serverUrl } from '@watchline/testing/harness'
import { type Channel, type ChannelModel, connect } from 'amqplib'
import { type BusLog, type EventBus, EventBusUnavailable, PoisonError } from '../src/messaging/event-bus.ts'
import { createRabbitBus } from '../src/messaging/rabbitmq/rabbitmq-bus.ts'
import { connectionBlocked, connectionUnblocked, openWire, removeFromRabbit, uniqueName, type Wire } from './servers.ts'

const groups = ['alpha', 'beta']
const retryDelaysMs = [20, 40]
const consumersOf = (type: string) => (type === 'thing.done' ? ['alpha'] : type === 'thing.shared' ? groups : [])

let sequence = 0
function event(type = 'thing.done'): DomainEvent {
  const id = `event-${++sequence}`
  return { specversion: '1.0', id, source: 'test', type, subject: 'thing-1', time: new Date().toISOString(), data: {} }
}
const idOf = (received: unknown) => (received as DomainEvent).id

describe('event bus on RabbitMQ', () => {
  let exchange: string
  let wire: Wire
  let admin: ChannelModel
  let channel: Channel
  let opened: EventBus[]

  beforeEach(async () => {
    exchange = uniqueName()
    opened = []
    wire = await openWire(serverUrl('AMQP_URL'))
    admin = await connect(serverUrl('AMQP_URL'))
    channel = await admin.createChannel()
  })
  afterEach(async () => {
    await Promise.all(opened.map(bus => bus.close()))
    await admin.close()
    await wire.close()
    await removeFromRabbit(exchange, groups, retryDelaysMs.length)
  })

  async function open(url = wire.url, log?: BusLog): Promise<EventBus> {
    const bus = await createRabbitBus({ url, exchange, consumersOf, retryDelaysMs, ...(log && { log }) })
    opened.push(bus)
    return bus
  }

  test('starts without the broker, says so, and begins all it was asked to when the broker comes', async () => {
    wire.cut()
    const bus = await open()
    expect(bus.health()).toMatch(/^RabbitMQ is away: /)
    const [consumed, followed]: string[][] = [[], []]
    let reconnects = 0
    bus.onReconnect(() => reconnects++)
    const atOnce = event()
    let publishedAtOnce: Promise<void> | undefined
    bus.onPublishable(() => {
      publishedAtOnce = bus.publish(atOnce)
    })
    await bus.consume({ group: 'alpha', types: ['thing.done'] }, async each => void consumed!.push(idOf(each)))
    await bus.subscribeLive({ types: ['thing.done'] }, each => void followed!.push(idOf(each)))
    await expect(bus.publish(event())).rejects.toThrow(EventBusUnavailable)
    await expect(bus.deadLetters('alpha')).rejects.toThrow(EventBusUnavailable)
    expect(reconnects).toBe(0)
    wire.mend()
    await eventually(() => expect(bus.health()).toBeUndefined())
    expect(reconnects).toBe(1)
    await publishedAtOnce
    await eventually(() => expect(consumed).toEqual([atOnce.id]))
    const first = event()
    await bus.publish(first)
    await eventually(() => expect([consumed![1], followed!.at(-1)]).toEqual([first.id, first.id]))
  })

  test('heals when connections are cut, again and again; what was published as safe arrives', async () => {
    const bus = await open()
    const got = new Set<string>()
    const followed = new Set<string>()
    let reconnects = 0
    bus.onReconnect(() => reconnects++)
    await bus.consume({ group: 'alpha', types: ['thing.done'] }, async each => void got.add(idOf(each)))
    await bus.subscribeLive({ types: ['thing.done'] }, each => void followed.add(idOf(each)))
    const safe: string[] = []
    let refused = 0
    let cutting = true
    const publishing = (async () => {
      while (cutting) {
        await Promise.all(
          Array.from({ length: 50 }, async () => {
            const each = event()
            try {
              await bus.publish(each)
              safe.push(each.id)
            } catch (error) {
              expect(error).toBeInstanceOf(EventBusUnavailable)
              refused++
            }
          }),
        )
        await new Promise(resolve => setImmediate(resolve))
      }
    })()
    for (let cuts = 1; cuts <= 3; cuts++) {
      const before = safe.length
      await eventually(() => expect(safe.length).toBeGreaterThan(before))
      const refusedBefore = refused
      wire.cut()
      await eventually(() => {
        expect(refused).toBeGreaterThan(refusedBefore)
        expect(bus.health()).toMatch(/^RabbitMQ is away/)
      })
      wire.mend()
      await eventually(() => {
        expect(bus.health()).toBeUndefined()
        expect(reconnects).toBe(cuts)
      })
    }
    cutting = false
    await publishing
    await eventually(() => expect(safe.filter(id => !got.has(id))).toEqual([]))
    const last = event()
    await bus.publish(last)
    await eventually(() => expect(followed.has(last.id)).toBe(true))
  })

  test('a connection that falls silent is given up and replaced', async () => {
    const url = new URL(wire.url)
    url.searchParams.set('heartbeat', '1')
    const bus = await open(url.href)
    const got: string[] = []
    await bus.consume({ group: 'alpha', types: ['thing.done'] }, async each => void got.push(idOf(each)))
    await bus.publish(event())
    await eventually(() => expect(got).toHaveLength(1))
    wire.freeze()
    await expect(bus.publish(event())).rejects.toThrow(EventBusUnavailable)
    await eventually(() => expect(bus.health()).toMatch(/^RabbitMQ is away/))
    wire.mend()
    await eventually(() => expect(bus.health()).toBeUndefined())
    const after = event()
    await bus.publish(after)
    await eventually(() => expect(got).toContain(after.id))
  })

  test('an event in work when the connection is lost comes again', async () => {
    const bus = await open()
    let tries = 0
    let finished = 0
    await bus.consume({ group: 'alpha', types: ['thing.done'] }, async () => {
      if (++tries === 1) {
        wire.cut()
        await eventually(() => expect(bus.health()).toBeDefined())
        wire.mend()
      }
      finished++
    })
    await (await open(serverUrl('AMQP_URL'))).publish(event())
    await eventually(() => expect([tries, finished]).toEqual([2, 2]))
  })

  test('publishing is refused while the broker is short of memory or disk, and the broker is not asked', async () => {
    const bus = await open()
    await bus.publish(event())
    wire.say(connectionBlocked('low on memory'))
    await eventually(() => expect(bus.health()).toBe('RabbitMQ takes no more messages: low on memory'))
    await expect(bus.publish(event())).rejects.toThrow('RabbitMQ takes no more messages: low on memory')
    let publishable = 0
    bus.onPublishable(() => publishable++)
    wire.say(connectionUnblocked)
    await eventually(() => publishable === 1)
    await eventually(() => expect(bus.health()).toBeUndefined())
    await expect(bus.publish(event())).resolves.toBeUndefined()
  })

  test('an event waits on the broker for groups that have never consumed, each in a queue of its own', async () => {
    const publisher = await open()
    const shared = event('thing.shared')
    await publisher.publish(shared)
    await publisher.close()
    const got: string[] = []
    const bus = await open()
    for (const group of groups) {
      await bus.consume({ group, types: ['thing.shared'] }, async each => void got.push(`${group} ${idOf(each)}`))
    }
    await eventually(() => expect(got.sort()).toEqual([`alpha ${shared.id}`, `beta ${shared.id}`]))
  })

  test('an event that no queue took is not safe, and the next try makes the queue anew', async () => {
    const bus = await open()
    await bus.publish(event())
    await channel.deleteQueue(`${exchange}.alpha`)
    const lost = event()
    await expect(bus.publish(lost)).rejects.toThrow(EventBusUnavailable)
    await bus.publish(lost)
    const got: string[] = []
    await bus.consume({ group: 'alpha', types: ['thing.done'] }, async each => void got.push(idOf(each)))
    await eventually(() => expect(got).toEqual([lost.id]))
  })

  test('a consumer whose queue was removed makes it anew', async () => {
    const bus = await open()
    const got: string[] = []
    await bus.consume({ group: 'alpha', types: ['nobody.must'] }, async each => void got.push(idOf(each)))
    await channel.deleteQueue(`${exchange}.alpha`)
    await eventually(async () => {
      await bus.publish(event('nobody.must'))
      expect(got).not.toEqual([])
    })
  })

  test('what is not JSON is a dead letter at once', async () => {
    const bus = await open()
    let handled = 0
    await bus.consume({ group: 'alpha', types: ['thing.done'] }, async () => void handled++)
    channel.publish(exchange, 'thing.done', Buffer.from('not { json'))
    const [letter] = await eventually(async () => {
      const letters = await bus.deadLetters('alpha')
      expect(letters).toMatchObject([{ event: 'not { json', reason: 'PoisonError: not JSON' }])
      return letters
    })
    expect(handled).toBe(0)
    // It has no id of its own; the one it is given finds it again.
    expect(letter!.id).toMatch(/^sha256-[0-9a-f]{24}$/)
    await eventually(async () => expect(await bus.drop('alpha', [letter!.id], async () => {})).toBe(1))
    expect(await bus.deadLetters('alpha')).toEqual([])
  })

  test('an event that ends every process before it can say so is given up by the broker, which is the reason told', async () => {
    const bus = await open()
    const deadly = event()
    await bus.publish(deadly)
    // A process that dies gives back what it took; this one does nothing else.
    await eventually(async () => {
      const message = await channel.get(`${exchange}.alpha`)
      // (A nack would do on 3.10, but not count on 4.3.)
      if (message) channel.reject(message, true)
      expect(await bus.deadLetters('alpha')).toMatchObject([
        { id: deadly.id, event: deadly, reason: 'the broker gave it up: delivery_limit', tries: [] },
      ])
    })
  })

  test('a queue that exists with other arguments is used as it is, and said once', async () => {
    const older = { durable: true, arguments: { 'x-queue-type': 'quorum' } }
    for (const queue of [`${exchange}.alpha`, `${exchange}.alpha.dead`]) await channel.assertQueue(queue, older)
    const errors: unknown[] = []
    const log = { info() {}, warn() {}, error: (fields: unknown) => void errors.push(fields) }
    const bus = await open(wire.url, log)
    const got: string[] = []
    const taking = async (each: unknown) => {
      if (idOf(each) === poison.id) throw new PoisonError('unreadable')
      got.push(idOf(each))
    }
    const [first, poison] = [event(), event()]
    await bus.consume({ group: 'alpha', types: ['thing.done'] }, taking)
    await bus.publish(first)
    await bus.publish(poison)
    await eventually(() => expect(got).toEqual([first.id]))
    await eventually(async () => expect(await bus.deadLetters('alpha')).toHaveLength(1))
    wire.cut()
    await eventually(() => expect(bus.health()).toBeDefined())
    wire.mend()
    await eventually(() => expect(bus.health()).toBeUndefined())
    const last = event()
    await bus.publish(last)
    await eventually(() => expect(got).toEqual([first.id, last.id]))
    const clashes = errors.filter(each => (each as { queue?: string }).queue)
    expect(clashes).toMatchObject([
      { queue: `${exchange}.alpha.dead`, reason: expect.stringContaining('x-delivery-limit') },
      { queue: `${exchange}.alpha`, reason: expect.stringContaining('PRECONDITION_FAILED') },
    ])
  })

  test('looking for dead letters of a group that has no queue makes none', async () => {
    const bus = await open()
    expect(await bus.deadLetters('alpha')).toEqual([])
    expect(await bus.redrive('alpha')).toBe(0)
    expect(await bus.depth('alpha')).toBeUndefined()
    await expect(admin.createChannel().then(each => quietly(each).checkQueue(`${exchange}.alpha`))).rejects.toThrow(
      '404',
    )
  })

  test('a type this consumer does not know is left to one that does', async () => {
    const [old, fresh] = [await open(), await open()]
    const got: string[] = []
    let wrong = 0
    await old.consume({ group: 'alpha', types: ['thing.done'], prefetch: 1 }, async () => void wrong++)
    const unknown = event('thing.shared')
    await old.publish(unknown)
    await eventually(async () =>
      expect(await old.deadLetters('alpha')).toMatchObject([
        { event: unknown, reason: 'Error: no handler here for thing.shared' },
      ]),
    )
    await fresh.consume({ group: 'alpha', types: ['thing.shared'] }, async each => void got.push(idOf(each)))
    await eventually(async () => {
      await fresh.redrive('alpha')
      expect(got).toEqual([unknown.id])
    })
    expect(wrong).toBe(0)
  })

  test('an event that fails while it cannot be put aside is neither lost nor tried in a hot loop', async () => {
    const bus = await open()
    let tries = 0
    await bus.consume({ group: 'alpha', types: ['thing.done'] }, async () => {
      tries++
      if (tries === 1) wire.say(connectionBlocked('low on disk'))
      if (tries < 3) throw new Error('not yet')
    })
    await (await open(serverUrl('AMQP_URL'))).publish(event())
    await eventually(() => expect(bus.health()).toMatch('low on disk'))
    // Looks at the queue twice, through the broker: the event is held all the while.
    for (let look = 0; look < 2; look++) {
      expect(await bus.deadLetters('alpha')).toEqual([])
      expect(tries).toBe(1)
    }
    wire.say(connectionUnblocked)
    await eventually(() => expect(tries).toBe(3))
  })

  test('closes without the broker', async () => {
    const bus = await open()
    await bus.consume({ group: 'alpha', types: ['thing.done'] }, async () => {})
    wire.cut()
    await eventually(() => expect(bus.health()).toMatch(/^RabbitMQ is away/))
    await expect(bus.close()).resolves.toBeUndefined()
  })
})

/** A channel whose end is expected. */
function quietly(channel: Channel): Channel {
  channel.on('error', () => {})
  return channel
}
