import { type ChannelModel, connect } from 'amqplib'
import { type BusLog, reasonOf } from '../event-bus.ts'

/** One connection to RabbitMQ that heals itself for ever. */
export interface RecoveringConnection {
  /** The connection of the moment, also while its `setup` still runs; undefined while away. */
  readonly model: ChannelModel | undefined
  /** Undefined when connected, else why not. */
  away(): string | undefined
  /** Why the broker reads nothing from this connection, for now: only those that publish meet it. */
  blocked(): string | undefined
  /** Gives up this connection; another follows. */
  renew(): void
  close(): Promise<void>
}

export interface RecoveringConnectionOptions {
  url: string
  name: string
  log: BusLog | undefined
  /** Builds everything that stands on a connection anew: channels do not survive one. */
  setup(model: ChannelModel): Promise<void>
  onConnect?(): void
  onBlocked?(reason: string): void
  onUnblocked?(): void
}

const connectTimeoutMs = 5_000
/** Everything works again within 15 s, and a broker that starts needs some of them: whoever tries must not sleep through the rest. */
const maxReconnectMs = 2_000
/**
 * A connection that died without a word is noticed within two of these here, and some more at the broker, which then hands out again what was on its
 * way. RabbitMQ advises against less than 5, for a busy process can miss some; what that costs here is a connection and events twice, which are told.
 */
const heartbeatS = 3

/** Those who want to know; one that fails keeps none of the others from hearing. */
export function createListeners(log: BusLog | undefined) {
  const listeners = new Set<() => void>()
  return {
    add: (listener: () => void) => void listeners.add(listener),
    tell: () => {
      for (const listener of listeners) {
        try {
          listener()
        } catch (error) {
          log?.error({ reason: reasonOf(error) }, 'a reconnect listener failed')
        }
      }
    },
  }
}

/** Resolves after the first attempt, however it went: a service starts and serves what it can without the broker. */
export async function openRecoveringConnection({
  url,
  name,
  log,
  setup,
  onConnect,
  onBlocked,
  onUnblocked,
}: RecoveringConnectionOptions): Promise<RecoveringConnection> {
  let model: ChannelModel | undefined
  let ready = false
  let reason = 'not connected yet'
  let blocked: string | undefined
  let complained = false

  const address = new URL(url)
  if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', String(heartbeatS))

  const connection = await connect(address.href, {
    noDelay: true,
    keepAlive: true,
    timeout: connectTimeoutMs,
    clientProperties: { connection_name: name },
    recovery: {
      initialDelay: 200,
      maxDelay: maxReconnectMs,
      factor: 2,
      jitter: 0.5,
      maxRetries: Number.POSITIVE_INFINITY,
      waitForConnect: false,
      setup: prepare,
    },
  })

  async function prepare(fresh: ChannelModel): Promise<void> {
    let lost = false
    model = fresh
    blocked = undefined
    fresh.on('error', error => log?.warn({ link: name, reason: reasonOf(error) }, 'RabbitMQ connection failed'))
    fresh.on('blocked', why => {
      blocked = why
      log?.warn({ link: name, reason: why }, 'RabbitMQ takes no more messages')
      onBlocked?.(why)
    })
    fresh.on('unblocked', () => {
      blocked = undefined
      onUnblocked?.()
    })
    fresh.on('close', () => {
      lost = true
      if (model === fresh) model = undefined
      ready = false
    })
    await setup(fresh)
    // amqplib starts to watch the connection only now.
    if (lost) throw new Error('the connection was lost while it was prepared')
  }

  connection.on('error', () => {})
  connection.on('disconnect', error => {
    reason = reasonOf(error)
    log?.warn({ link: name, reason }, 'RabbitMQ connection lost')
  })
  await new Promise<void>(attempted => {
    connection.on('connect', () => {
      ready = true
      complained = false
      log?.info({ link: name }, 'connected to RabbitMQ')
      attempted()
      onConnect?.()
    })
    connection.on('connect-failed', error => {
      reason = reasonOf(error)
      // One line an outage, not one an attempt.
      if (!complained) log?.warn({ link: name, reason }, 'RabbitMQ is away')
      complained = true
      attempted()
    })
  })

  return {
    get model() {
      return model
    },
    away: () => (ready ? undefined : `RabbitMQ is away: ${reason}`),
    blocked: () => (blocked === undefined ? undefined : `RabbitMQ takes no more messages: ${blocked}`),
    renew() {
      model?.close().catch(() => {})
    },
    close: () => connection.close(),
  }
}
