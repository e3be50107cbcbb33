import { type ChannelModel, connect } from 'amqplib'
import { type BusLog, reasonOf } from '../event-bus.ts'

/** A connection to RabbitMQ that reconnects for ever. */
export interface RecoveringConnection {
  /** The current connection, also while its `setup` still runs; undefined while disconnected. */
  readonly model: ChannelModel | undefined
  /** Undefined when connected, otherwise the problem. */
  away(): string | undefined
  /**
   * The reason why the broker reads nothing from this connection; happens to publishing connections
   * only.
   */
  blocked(): string | undefined
  /** Closes this connection and opens another. */
  renew(): void
  close(): Promise<void>
}

export interface RecoveringConnectionOptions {
  url: string
  name: string
  log: BusLog | undefined
  /** Builds the channels, which do not survive a connection. */
  setup(model: ChannelModel): Promise<void>
  onConnect?(): void
  onBlocked?(reason: string): void
  onUnblocked?(): void
}

const connectTimeoutMs = 5_000
/**
 * Everything must work again 15 s after an outage. A starting broker needs some of that time, so
 * the pauses between attempts stay short.
 */
const maxReconnectMs = 2_000
/**
 * A silent connection is noticed after two heartbeats here. The broker needs a few more, and then
 * redelivers what was on its way. RabbitMQ advises against less than 5 s, because a busy process
 * can miss some. Here that costs a reconnect and repeated events, which consumers drop.
 */
const heartbeatS = 3

/** A set of listeners; a failing one does not stop the others. */
export function createListeners(log: BusLog | undefined) {
  const listeners = new Set<() => void>()
  return {
    add: (listener: () => void) => void listeners.add(listener),
    notify: () => {
      for (const listener of listeners) {
        try {
          listener()
        } catch (error) {
          log?.error({ reason: reasonOf(error) }, 'reconnect listener failed')
        }
      }
    },
  }
}

/** Resolves after the first attempt, failed or not: a service must start without the broker. */
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
  let isOutageLogged = false

  const address = new URL(url)
  if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', String(heartbeatS))

  const sockets = new AbortController()
  const connection = await connect(address.href, {
    noDelay: true,
    keepAlive: true,
    timeout: connectTimeoutMs,
    // An option of Node's sockets, which the types of amqplib leave out.
    ...{ signal: sockets.signal },
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
    fresh.on('blocked', blockReason => {
      blocked = blockReason
      log?.warn({ link: name, reason: blockReason }, 'RabbitMQ takes no more messages')
      onBlocked?.(blockReason)
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
      isOutageLogged = false
      log?.info({ link: name }, 'connected to RabbitMQ')
      attempted()
      onConnect?.()
    })
    connection.on('connect-failed', error => {
      reason = reasonOf(error)
      // Once for each outage, not for each attempt.
      if (!isOutageLogged) log?.warn({ link: name, reason }, 'RabbitMQ is away')
      isOutageLogged = true
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
    async close() {
      await connection.close()
      // amqplib lets an attempt that is under way go on, and does not listen to its connection. If
      // that one was lost later, its error would end the process.
      sockets.abort()
    },
  }
}
