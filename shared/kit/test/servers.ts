import { randomBytes } from 'node:crypto'
import net from 'node:net'
import { serverUrl } from '@watchline/testing/harness'
import { connect } from 'amqplib'
import { Redis } from 'ioredis'
import { removeTopology, topologyOf } from '../src/messaging/rabbitmq/topology.ts'

export function uniqueName(): string {
  return `t${randomBytes(6).toString('hex')}`
}

/** Removes the exchange and queues of a test's bus from the broker. */
export async function removeFromRabbit(exchange: string, groups: readonly string[], retries: number): Promise<void> {
  const connection = await connect(serverUrl('AMQP_URL'))
  const channel = await connection.createChannel()
  await removeTopology(channel, topologyOf(exchange), groups, retries)
  await connection.close()
}

/** Removes the keys of a test's live store from Redis. */
export async function removeFromRedis(prefix: string): Promise<void> {
  const redis = new Redis(serverUrl('REDIS_URL'))
  for (const key of await keysOf(redis, prefix)) await redis.del(key)
  await redis.quit()
}

export async function keysOf(redis: Redis, prefix: string): Promise<string[]> {
  const found: string[] = []
  for await (const keys of redis.scanStream({ match: `${prefix}*`, count: 1_000 })) found.push(...keys)
  return found
}

export interface FaultyProxy {
  /** The server's address through the proxy. */
  url: string
  /** Ends every connection and refuses new ones. */
  cut(): void
  /** Keeps all connections open, accepts new ones and drops their data. */
  freeze(): void
  /** Sends bytes to every client as if the server had sent them. */
  sendToClients(bytes: Buffer): void
  /** Forwards again. Connections that were frozen end, because data is missing in them. */
  restore(): void
  close(): Promise<void>
}

/** A TCP proxy before a real server, which simulates network faults without touching the server. */
export async function openFaultyProxy(serverAddress: string): Promise<FaultyProxy> {
  const address = new URL(serverAddress)
  const sockets = new Set<net.Socket>()
  const clients = new Set<net.Socket>()
  let state: 'forwarding' | 'cut' | 'frozen' = 'forwarding'
  const server = net.createServer(client => {
    if (state === 'cut') return void client.destroy()
    const upstream = net.connect(Number(address.port), address.hostname)
    clients.add(client)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('data', data => state === 'forwarding' && to.write(data))
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        clients.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(serverAddress)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as net.AddressInfo).port)
  const destroySockets = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href,
    cut() {
      state = 'cut'
      destroySockets()
    },
    freeze() {
      state = 'frozen'
    },
    sendToClients(bytes) {
      for (const client of clients) client.write(bytes)
    },
    restore() {
      if (state === 'frozen') destroySockets()
      state = 'forwarding'
    },
    close() {
      destroySockets()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

/**
 * Frames of AMQP 0-9-1's connection.blocked extension (class 10, methods 60 and 61) on channel 0.
 */
export function connectionBlocked(reason: string): Buffer {
  const text = Buffer.from(reason)
  return frame(Buffer.concat([Buffer.from([0, 10, 0, 60, text.length]), text]))
}
export const connectionUnblocked = frame(Buffer.from([0, 10, 0, 61]))

function frame(payload: Buffer): Buffer {
  const head = Buffer.from([1, 0, 0, 0, 0, 0, 0])
  head.writeUInt32BE(payload.length, 3)
  return Buffer.concat([head, payload, Buffer.from([0xce])])
}
