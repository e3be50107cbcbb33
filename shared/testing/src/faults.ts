import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type LiveStore, LiveStoreUnavailable } from '@watchline/kit/live/live-store'
import mongoose from 'mongoose'

const { Collection } = mongoose.mongo

/**
 * Makes one kind of write to a collection fail while `during` runs: before the write, or after it,
 * when only the answer is lost. `when` decides by the number of the call, from 1. The caller gets
 * `error`. Resolves to the number of failures.
 */
export async function withFailingWrites(
  method: 'bulkWrite' | 'insertMany' | 'updateOne',
  collection: string,
  when: (call: number) => 'before' | 'after' | undefined,
  during: () => Promise<void>,
  error: Error = new Error('the connection was cut'),
): Promise<number> {
  const original = Collection.prototype[method] as (...args: unknown[]) => Promise<unknown>
  let calls = 0
  let failed = 0
  Collection.prototype[method] = async function (this: mongoose.mongo.Collection, ...args: unknown[]) {
    if (this.collectionName !== collection) return original.apply(this, args)
    calls += 1
    const fault = when(calls)
    if (fault) failed += 1
    if (fault === 'before') throw error
    const result = await original.apply(this, args)
    if (fault === 'after') throw error
    return result
  } as never
  try {
    await during()
  } finally {
    Collection.prototype[method] = original as never
  }
  return failed
}

export interface MongoGate {
  /** The address of MongoDB through the proxy. */
  mongoUrl: string
  shut(): void
  open(): void
  close(): Promise<void>
}

/** A proxy to MongoDB. While shut, it cuts connections and refuses new ones. */
export async function openMongoGate(mongoUrl: string): Promise<MongoGate> {
  const [host, port] = new URL(mongoUrl.replace('mongodb:', 'http:')).host.split(':') as [string, string]
  const sockets = new Set<Socket>()
  let isOpen = true
  const server = createServer(socket => {
    if (!isOpen) {
      socket.destroy()
      return
    }
    const upstream = connect(Number(port), host)
    for (const end of [socket, upstream]) {
      sockets.add(end)
      end.on('error', () => end.destroy())
      end.on('close', () => {
        sockets.delete(end)
        socket.destroy()
        upstream.destroy()
      })
    }
    socket.pipe(upstream).pipe(socket)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const cutConnections = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    // A replica set would tell the driver its real address, which bypasses the proxy.
    mongoUrl: `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/?directConnection=true`,
    shut: () => {
      isOpen = false
      cutConnections()
    },
    open: () => {
      isOpen = true
    },
    close: async () => {
      cutConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** A live store whose calls all reject. */
export function unavailableLiveStore(): LiveStore {
  const rejects = new Proxy(() => {}, {
    get: () => rejects,
    apply: () => Promise.reject(new LiveStoreUnavailable('away')),
  })
  const { presence, locks, revocations, versions, counters, ping } = rejects as never
  return { presence, locks, revocations, versions, counters, ping } as never
}
