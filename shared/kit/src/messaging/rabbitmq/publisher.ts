import type { ChannelModel, ConfirmChannel, Options } from 'amqplib'
import { createSemaphore } from '../../core/semaphore.ts'
import { type BusLog, EventBusUnavailable } from '../event-bus.ts'
import { createListeners, openRecoveringConnection, type RecoveringConnection } from './connection.ts'
import { createPublisherConfirms } from './publisher-confirms.ts'
import { type Declarer, entryOf, type Topology } from './topology.ts'

export interface Publisher {
  /**
   * To the exchange; resolves when confirmed. Queues and bindings of `groups` are declared first.
   */
  toGroups(groups: readonly string[], type: string, content: Buffer, options: Options.Publish): Promise<void>
  /** Directly to one group's queue. */
  toQueue(group: string, content: Buffer, options: Options.Publish): Promise<void>
  toDeadLetters(group: string, content: Buffer, options: Options.Publish): Promise<void>
  /** Back to the group's queue after `delayMs`; `level` counts the retries from 1. */
  toRetryQueue(group: string, level: number, delayMs: number, content: Buffer, options: Options.Publish): Promise<void>
  problem(): string | undefined
  /** Called after a reconnect, and when the broker accepts messages again. */
  onPublishable(listener: () => void): void
  close(): Promise<void>
}

/** One at a time is 12 to 29 times slower. */
const maxInFlight = 256

/**
 * Queues known to exist on the broker, for each connection: after a reconnect it may be another
 * broker.
 */
interface Session {
  model: ChannelModel
  channel: ConfirmChannel
  declared: Map<string, Promise<void>>
}

/**
 * Publishing has its own connection. RabbitMQ stops reading from publishing connections when it
 * runs short of memory or disk, and acknowledgements must still arrive then.
 */
export async function openPublisher(
  url: string,
  topology: Topology,
  declarer: Declarer,
  log: BusLog | undefined,
  /** The user of `url`, which RabbitMQ compares with the connection's; undefined: not stated. */
  userId?: string,
): Promise<Publisher> {
  const semaphore = createSemaphore(maxInFlight)
  const confirms = createPublisherConfirms()
  let session: Session | undefined
  const publishable = createListeners(log)

  // Undefined while the first connection is set up.
  let link: RecoveringConnection | undefined

  link = await openRecoveringConnection({
    url,
    name: `${topology.exchange} publisher`,
    log,
    setup,
    onConnect: publishable.notify,
    onBlocked: reason => confirms.rejectAll(new EventBusUnavailable(`RabbitMQ takes no more messages: ${reason}`)),
    onUnblocked: publishable.notify,
  })

  async function setup(model: ChannelModel): Promise<void> {
    const channel = await model.createConfirmChannel()
    const fresh: Session = { model, channel, declared: new Map() }
    channel.on('error', error => log?.warn({ reason: error.message }, 'RabbitMQ publishing channel failed'))
    channel.on('return', message => {
      confirms.markReturned(message)
      // A queue was removed: declare all again before the next attempt.
      fresh.declared.clear()
    })
    // amqplib itself rejects what was not confirmed yet.
    channel.on('close', () => {
      if (session === fresh) session = undefined
      if (link?.model === model) link.renew()
    })
    await declarer.exchange(channel)
    session = fresh
  }

  /** Declares once for each connection. */
  function ensure(key: string, declare: (model: ChannelModel) => Promise<void>): Promise<void> {
    const current = requireSession()
    let work = current.declared.get(key)
    if (!work) {
      work = declare(current.model).catch(error => {
        throw new EventBusUnavailable(`RabbitMQ did not prepare the queues: ${(error as Error).message}`)
      })
      current.declared.set(key, work)
      work.catch(() => current.declared.delete(key))
    }
    return work
  }

  const problem = () => link?.away() ?? link?.blocked()

  function requireSession(): Session {
    const reason = problem()
    if (reason || !session) throw new EventBusUnavailable(reason ?? 'RabbitMQ is away')
    return session
  }

  async function send(exchange: string, key: string, content: Buffer, options: Options.Publish): Promise<void> {
    const { channel } = requireSession()
    await confirms.send(channel, { exchange, key, content, options: { ...options, userId } })
  }

  const ensureGroup = (name: string) => ensure(`group ${name}`, model => declarer.group(model, name))

  const ensureBinding = async (name: string, type: string) => {
    await ensureGroup(name)
    await ensure(`binding ${name} ${type}`, async model => {
      const channel = await model.createChannel()
      channel.on('error', () => {})
      await declarer.binding(channel, name, type)
      await channel.close()
    })
  }

  return {
    async toGroups(groups, type, content, options) {
      requireSession()
      await semaphore.run(async () => {
        await Promise.all(groups.map(name => ensureBinding(name, type)))
        await send(topology.exchange, type, content, { ...options, mandatory: groups.length > 0 })
      })
    },

    async toQueue(name, content, options) {
      await semaphore.run(async () => {
        await ensureGroup(name)
        await send('', topology.queue(name), content, { ...options, mandatory: true })
      })
    },

    async toDeadLetters(name, content, options) {
      await semaphore.run(async () => {
        await ensureGroup(name)
        await send(entryOf(topology.dead(name)), '', content, { ...options, mandatory: true })
      })
    },

    async toRetryQueue(name, level, delayMs, content, options) {
      await semaphore.run(async () => {
        await ensure(`retry ${name} ${level}`, model => declarer.retry(model, name, level))
        const timed = { ...options, expiration: String(delayMs), mandatory: true }
        await send(entryOf(topology.retry(name, level)), '', content, timed)
      })
    },

    problem,
    onPublishable: publishable.add,
    close: () => link.close(),
  }
}
