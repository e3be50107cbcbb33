import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type LiveStore, LiveStoreUnavailable } from '@watchline/kit/live/live-store'
import mongoose from 'mongoose'

const { Collection } = mongoose.mongo

/**
 * Makes one kind of write to a collection fail while `during` runs: `before` it is done, or `after`, when only the answer is lost.
 * `when` is asked with the number of the call, from 1; `error` is what the caller gets. Resolves to how many failed.
 */
export async function withFailingWrites(
  method: 'bulkWrite' | 'insertMany' | 'updateOne',
  collection: string,
  when: (call: number) => 'before' | 'after' | undefined,
  during: () => Promise<void>,
  error: Error = new Error('the connection was cut'),
): Promise<number> {
  const original = Collection.prototype[method] as (...given: unknown[]) => Promise<unknown>
  let calls = 0
  let failed = 0
  Collection.prototype[method] = async function (this: mongoose.mongo.Collection, ...given: unknown[]) {
    if (this.collectionName !== collection) return original.apply(this, given)
    calls += 1
    const fault = when(calls)
    if (fault) failed += 1
    if (fault === 'before') throw error
    const result = await original.apply(this, given)
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
  /** MongoDB through the gate. */
  mongoUrl: string
  shut(): void
  open(): void
  close(): Promise<void>
}

/** A way to MongoDB that can be shut: connections through it are cut, and new ones refused. */
export async function openMongoGate(mongoUrl: string): Promise<MongoGate> {
  const [host, port] = new URL(mongoUrl.replace('mongodb:', 'http:')).host.split(':') as [string, string]
  const sockets = new Set<Socket>()
  let isOpen = true
  const server = createServer(socket => {
    if (!isOpen) {
      socket.destroy()
      return
    }
    const inner = connect(Number(port), host)
    for (const each of [socket, inner]) {
      sockets.add(each)
      each.on('error', () => each.destroy())
      each.on('close', () => {
        sockets.delete(each)
        socket.destroy()
        inner.destroy()
      })
    }
    socket.pipe(inner).pipe(socket)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const each of sockets) each.destroy()
  }
  return {
    // Directly: of a replica set the driver would learn the real address and go round the gate.
    mongoUrl: `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/?directConnection=true`,
    shut: () => {
      isOpen = false
      cut()
    },
    open: () => {
      isOpen = true
    },
    close: async () => {
      cut()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Every call of it rejects. */
export function unavailableLiveStore(): LiveStore {
  const rejects = new Proxy(() => {}, {
    get: () => rejects,
    apply: () => Promise.reject(new LiveStoreUnavailable('away')),
  })
  const { presence, locks, revocations, versions, counters, ping } = rejects as never
  return { presence, locks, revocations, versions, counters, ping } as never
}
