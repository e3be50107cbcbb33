import { randomBytes } from 'node:crypto'
import net from 'node:net'
import { serverUrl } from '@watchline/testing/harness'
import { connect } from 'amqplib'
import { Redis } from 'ioredis'
import { removeTopology, topologyOf } from '../src/messaging/rabbitmq/topology.ts'

export function uniqueName(): string {
  return `t${randomBytes(6).toString('hex')}`
}

/** Removes what a test's bus left on the broker. */
export async function removeFromRabbit(exchange: string, groups: readonly string[], retries: number): Promise<void> {
  const connection = await connect(serverUrl('AMQP_URL'))
  const channel = await connection.createChannel()
  await removeTopology(channel, topologyOf(exchange), groups, retries)
  await connection.close()
}

/** Removes what a test's live store left in Redis. */
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

export interface Wire {
  /** The server's address, by way of the wire. */
  url: string
  /** Ends every connection and refuses new ones. */
  cut(): void
  /** Keeps every connection open, new ones too, and lets nothing through. */
  freeze(): void
  /** Says something in the server's name, on every connection. */
  say(bytes: Buffer): void
  /** New connections work; those that missed something end. */
  mend(): void
  close(): Promise<void>
}

/**
 * A wire to a real server that a test can cut: what a network does to a connection, without
 * touching the server.
 */
export async function openWire(serverAddress: string): Promise<Wire> {
  const address = new URL(serverAddress)
  const sockets = new Set<net.Socket>()
  const clients = new Set<net.Socket>()
  let state: 'whole' | 'cut' | 'frozen' = 'whole'
  const server = net.createServer(near => {
    if (state === 'cut') return void near.destroy()
    const far = net.connect(Number(address.port), address.hostname)
    clients.add(near)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', data => state === 'whole' && to.write(data))
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
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href,
    cut() {
      state = 'cut'
      cut()
    },
    freeze() {
      state = 'frozen'
    },
    say(bytes) {
      for (const client of clients) client.write(bytes)
    },
    mend() {
      if (state === 'frozen') cut()
      state = 'whole'
    },
    close() {
      cut()
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
