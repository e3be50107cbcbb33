import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { DomainEvent } from '@watchline/contracts/events'
import { eventually, serverUrl } from '@watchline/testing/harness'
import { type Channel, type ChannelModel, connect } from 'amqplib'
import { type BusLog, type EventBus, EventBusUnavailable, PoisonError } from '../src/messaging/event-bus.ts'
import { createRabbitBus } from '../src/messaging/rabbitmq/rabbitmq-bus.ts'
import {
  connectionBlocked,
  connectionUnblocked,
  type FaultyProxy,
  openFaultyProxy,
  removeFromRabbit,
  uniqueName,
} from './servers.ts'

const groups = ['alpha', 'beta']
const retryDelaysMs = [20, 40]
const consumersOf = (type: string) => (type === 'thing.done' ? ['alpha'] : type === 'thing.shared' ? groups : [])

let sequence = 0
function makeEvent(type = 'thing.done'): DomainEvent {
  const id = `event-${++sequence}`
  return { specversion: '1.0', id, source: 'test', type, subject: 'thing-1', time: new Date().toISOString(), data: {} }
}
const idOf = (received: unknown) => (received as DomainEvent).id

describe('event bus on RabbitMQ', () => {
  let exchange: string
  let proxy: FaultyProxy
  let admin: ChannelModel
  let channel: Channel
  let openedBuses: EventBus[]

  beforeEach(async () => {
    exchange = uniqueName()
    openedBuses = []
    proxy = await openFaultyProxy(serverUrl('AMQP_URL'))
    admin = await connect(serverUrl('AMQP_URL'))
    channel = await admin.createChannel()
  })
  afterEach(async () => {
    await Promise.all(openedBuses.map(bus => bus.close()))
    await admin.close()
    await proxy.close()
    await removeFromRabbit(exchange, groups, retryDelaysMs.length)
  })

  async function open(url = proxy.url, log?: BusLog): Promise<EventBus> {
    const bus = await createRabbitBus({ url, exchange, consumersOf, retryDelaysMs, ...(log && { log }) })
    openedBuses.push(bus)
    return bus
  }

  test('starts without the broker, reports it, and does everything requested once the broker is there', async () => {
    proxy.cut()
    const bus = await open()
    expect(bus.health()).toMatch(/^RabbitMQ is away: /)
    const [consumed, receivedLive]: string[][] = [[], []]
    let reconnects = 0
    bus.onReconnect(() => reconnects++)
    const atOnce = makeEvent()
    let publishedAtOnce: Promise<void> | undefined
    bus.onPublishable(() => {
      publishedAtOnce = bus.publish(atOnce)
    })
    await bus.consume(
      { consumerGroup: 'alpha', types: ['thing.done'] },
      async delivered => void consumed!.push(idOf(delivered)),
    )
    await bus.subscribeLive({ types: ['thing.done'] }, delivered => void receivedLive!.push(idOf(delivered)))
    await expect(bus.publish(makeEvent())).rejects.toThrow(EventBusUnavailable)
    await expect(bus.deadLetters('alpha')).rejects.toThrow(EventBusUnavailable)
    expect(reconnects).toBe(0)
    proxy.restore()
    await eventually(() => expect(bus.health()).toBeUndefined())
    expect(reconnects).toBe(1)
    await publishedAtOnce
    await eventually(() => expect(consumed).toEqual([atOnce.id]))
    const first = makeEvent()
    await bus.publish(first)
    await eventually(() => expect([consumed![1], receivedLive!.at(-1)]).toEqual([first.id, first.id]))
  })

  test('reconnects after every cut connection; every confirmed event arrives', async () => {
    const bus = await open()
    const received = new Set<string>()
    const receivedLive = new Set<string>()
    let reconnects = 0
    bus.onReconnect(() => reconnects++)
    await bus.consume(
      { consumerGroup: 'alpha', types: ['thing.done'] },
      async delivered => void received.add(idOf(delivered)),
    )
    await bus.subscribeLive({ types: ['thing.done'] }, delivered => void receivedLive.add(idOf(delivered)))
    const confirmed: string[] = []
    let refused = 0
    let isPublishing = true
    const publishing = (async () => {
      while (isPublishing) {
        await Promise.all(
          Array.from({ length: 50 }, async () => {
            const event = makeEvent()
            try {
              await bus.publish(event)
              confirmed.push(event.id)
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
      const before = confirmed.length
      await eventually(() => expect(confirmed.length).toBeGreaterThan(before))
      const refusedBefore = refused
      proxy.cut()
      await eventually(() => {
        expect(refused).toBeGreaterThan(refusedBefore)
        expect(bus.health()).toMatch(/^RabbitMQ is away/)
      })
      proxy.restore()
      await eventually(() => {
        expect(bus.health()).toBeUndefined()
        expect(reconnects).toBe(cuts)
      })
    }
    isPublishing = false
    await publishing
    await eventually(() => expect(confirmed.filter(id => !received.has(id))).toEqual([]))
    const last = makeEvent()
    await bus.publish(last)
    await eventually(() => expect(receivedLive.has(last.id)).toBe(true))
  })

  test('a silent connection is replaced', async () => {
    const url = new URL(proxy.url)
    url.searchParams.set('heartbeat', '1')
    const bus = await open(url.href)
    const received: string[] = []
    await bus.consume(
      { consumerGroup: 'alpha', types: ['thing.done'] },
      async delivered => void received.push(idOf(delivered)),
    )
    // A slow machine may miss a heartbeat of a second at any time.
    await eventually(() => bus.publish(makeEvent()))
    await eventually(() => received.length > 0)
    proxy.freeze()
    await expect(bus.publish(makeEvent())).rejects.toThrow(EventBusUnavailable)
    await eventually(() => expect(bus.health()).toMatch(/^RabbitMQ is away/))
    proxy.restore()
    await eventually(() => expect(bus.health()).toBeUndefined())
    const after = makeEvent()
    await eventually(() => bus.publish(after))
    await eventually(() => expect(received).toContain(after.id))
  })

  test('an event whose handler runs when the connection is lost is delivered again', async () => {
    const bus = await open()
    let attempts = 0
    let finished = 0
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.done'] }, async () => {
      if (++attempts === 1) {
        proxy.cut()
        await eventually(() => expect(bus.health()).toBeDefined())
        proxy.restore()
      }
      finished++
    })
    await (await open(serverUrl('AMQP_URL'))).publish(makeEvent())
    await eventually(() => expect([attempts, finished]).toEqual([2, 2]))
  })

  test('publish fails at once while the broker is low on memory or disk', async () => {
    const bus = await open()
    await bus.publish(makeEvent())
    proxy.sendToClients(connectionBlocked('low on memory'))
    await eventually(() => expect(bus.health()).toBe('RabbitMQ takes no more messages: low on memory'))
    await expect(bus.publish(makeEvent())).rejects.toThrow('RabbitMQ takes no more messages: low on memory')
    let publishable = 0
    bus.onPublishable(() => publishable++)
    proxy.sendToClients(connectionUnblocked)
    await eventually(() => publishable === 1)
    await eventually(() => expect(bus.health()).toBeUndefined())
    await expect(bus.publish(makeEvent())).resolves.toBeUndefined()
  })

  test('events wait in one queue a group, even before that group consumes for the first time', async () => {
    const publisher = await open()
    const shared = makeEvent('thing.shared')
    await publisher.publish(shared)
    await publisher.close()
    const received: string[] = []
    const bus = await open()
    for (const group of groups) {
      await bus.consume(
        { consumerGroup: group, types: ['thing.shared'] },
        async delivered => void received.push(`${group} ${idOf(delivered)}`),
      )
    }
    await eventually(() => expect(received.sort()).toEqual([`alpha ${shared.id}`, `beta ${shared.id}`]))
  })

  test('publish fails for an event that reaches no queue; the next attempt creates the queue', async () => {
    const bus = await open()
    await bus.publish(makeEvent())
    await channel.deleteQueue(`${exchange}.alpha`)
    const lost = makeEvent()
    await expect(bus.publish(lost)).rejects.toThrow(EventBusUnavailable)
    await bus.publish(lost)
    const received: string[] = []
    await bus.consume(
      { consumerGroup: 'alpha', types: ['thing.done'] },
      async delivered => void received.push(idOf(delivered)),
    )
    await eventually(() => expect(received).toEqual([lost.id]))
  })

  test('a consumer whose queue was removed creates it again', async () => {
    const bus = await open()
    const received: string[] = []
    await bus.consume(
      { consumerGroup: 'alpha', types: ['nobody.must'] },
      async delivered => void received.push(idOf(delivered)),
    )
    await channel.deleteQueue(`${exchange}.alpha`)
    await eventually(async () => {
      await bus.publish(makeEvent('nobody.must'))
      expect(received).not.toEqual([])
    })
  })

  test('a message that is not JSON becomes a dead letter at the first attempt', async () => {
    const bus = await open()
    let handled = 0
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.done'] }, async () => void handled++)
    channel.publish(exchange, 'thing.done', Buffer.from('not { json'))
    const [letter] = await eventually(async () => {
      const letters = await bus.deadLetters('alpha')
      expect(letters).toMatchObject([{ event: 'not { json', reason: 'PoisonError: not JSON' }])
      return letters
    })
    expect(handled).toBe(0)
    // The message has no id, so its hash identifies it.
    expect(letter!.id).toMatch(/^sha256-[0-9a-f]{24}$/)
    await eventually(async () => expect(await bus.drop('alpha', [letter!.id], async () => {})).toBe(1))
    expect(await bus.deadLetters('alpha')).toEqual([])
  })

  test('an event that kills every process becomes a dead letter by the delivery limit of the broker', async () => {
    const bus = await open()
    const deadly = makeEvent()
    await bus.publish(deadly)
    // The queue gets the message back when a process dies; a rejection has the same effect.
    await eventually(async () => {
      const message = await channel.get(`${exchange}.alpha`)
      // A nack counts as a delivery on RabbitMQ 3.10, but not on 4.3.
      if (message) channel.reject(message, true)
      expect(await bus.deadLetters('alpha')).toMatchObject([
        { id: deadly.id, event: deadly, reason: 'the broker gave it up: delivery_limit', tries: [] },
      ])
    })
  })

  test('a queue that exists with other arguments is used unchanged, with one log message', async () => {
    const olderOptions = { durable: true, arguments: { 'x-queue-type': 'quorum' } }
    for (const queue of [`${exchange}.alpha`, `${exchange}.alpha.dead`]) await channel.assertQueue(queue, olderOptions)
    const errors: unknown[] = []
    const log = { info() {}, warn() {}, error: (fields: unknown) => void errors.push(fields) }
    const bus = await open(proxy.url, log)
    const received: string[] = []
    const handler = async (delivered: unknown) => {
      if (idOf(delivered) === poison.id) throw new PoisonError('unreadable')
      received.push(idOf(delivered))
    }
    const [first, poison] = [makeEvent(), makeEvent()]
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.done'] }, handler)
    await bus.publish(first)
    await bus.publish(poison)
    await eventually(() => expect(received).toEqual([first.id]))
    await eventually(async () => expect(await bus.deadLetters('alpha')).toHaveLength(1))
    proxy.cut()
    await eventually(() => expect(bus.health()).toBeDefined())
    proxy.restore()
    await eventually(() => expect(bus.health()).toBeUndefined())
    const last = makeEvent()
    await bus.publish(last)
    await eventually(() => expect(received).toEqual([first.id, last.id]))
    const queueErrors = errors.filter(error => (error as { queue?: string }).queue)
    expect(queueErrors).toMatchObject([
      { queue: `${exchange}.alpha.dead`, reason: expect.stringContaining('x-delivery-limit') },
      { queue: `${exchange}.alpha`, reason: expect.stringContaining('PRECONDITION_FAILED') },
    ])
  })

  test('listing the dead letters of an unknown group creates no queue', async () => {
    const bus = await open()
    expect(await bus.deadLetters('alpha')).toEqual([])
    expect(await bus.redrive('alpha')).toBe(0)
    expect(await bus.depth('alpha')).toBeUndefined()
    const check = admin.createChannel().then(opened => ignoreErrors(opened).checkQueue(`${exchange}.alpha`))
    await expect(check).rejects.toThrow('404')
  })

  test('an event of a type unknown to this version becomes a dead letter that a newer version can redrive', async () => {
    const [oldBus, newBus] = [await open(), await open()]
    const received: string[] = []
    let wronglyHandled = 0
    await oldBus.consume(
      { consumerGroup: 'alpha', types: ['thing.done'], prefetch: 1 },
      async () => void wronglyHandled++,
    )
    const unknown = makeEvent('thing.shared')
    await oldBus.publish(unknown)
    await eventually(async () =>
      expect(await oldBus.deadLetters('alpha')).toMatchObject([
        { event: unknown, reason: 'Error: no handler here for thing.shared' },
      ]),
    )
    await newBus.consume(
      { consumerGroup: 'alpha', types: ['thing.shared'] },
      async delivered => void received.push(idOf(delivered)),
    )
    await eventually(async () => {
      await newBus.redrive('alpha')
      expect(received).toEqual([unknown.id])
    })
    expect(wronglyHandled).toBe(0)
  })

  test('an event that fails while the broker is blocked is neither lost nor retried in a hot loop', async () => {
    const bus = await open()
    let attempts = 0
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.done'] }, async () => {
      attempts++
      if (attempts === 1) proxy.sendToClients(connectionBlocked('low on disk'))
      if (attempts < 3) throw new Error('not yet')
    })
    await (await open(serverUrl('AMQP_URL'))).publish(makeEvent())
    await eventually(() => expect(bus.health()).toMatch('low on disk'))
    // Two round trips to the broker: the event is held back during both.
    for (let look = 0; look < 2; look++) {
      expect(await bus.deadLetters('alpha')).toEqual([])
      expect(attempts).toBe(1)
    }
    proxy.sendToClients(connectionUnblocked)
    await eventually(() => expect(attempts).toBe(3))
  })

  test('closes without the broker', async () => {
    const bus = await open()
    await bus.consume({ consumerGroup: 'alpha', types: ['thing.done'] }, async () => {})
    proxy.cut()
    await eventually(() => expect(bus.health()).toMatch(/^RabbitMQ is away/))
    await expect(bus.close()).resolves.toBeUndefined()
  })
})

/** The channel, whose failure the test expects. */
function ignoreErrors(channel: Channel): Channel {
  channel.on('error', () => {})
  return channel
}
