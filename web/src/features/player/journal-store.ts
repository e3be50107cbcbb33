import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { CommentBody, MonitoringBody, ProgressBody, TrackBody } from './player-api.ts'

export type JournalBody =
  | { kind: 'save-progress'; body: ProgressBody }
  | { kind: 'monitoring'; body: MonitoringBody }
  | { kind: 'track'; body: TrackBody }
  | { kind: 'comment'; body: CommentBody }

/** A call that was made and not yet acknowledged. `order` is given by the store and only ever rises. */
export type StoredCall = NewCall & { order: number }
export type NewCall = JournalBody & { id: string; person: string; at: number }

export interface JournalStore {
  /** Stores the call and takes out the ones it replaces, in one step. Answers its order. */
  add(call: NewCall, replaces: (earlier: StoredCall) => boolean): Promise<number>
  oldest(person: string, wanted: (call: StoredCall) => boolean): Promise<StoredCall | undefined>
  all(person: string): Promise<StoredCall[]>
  remove(orders: readonly number[]): Promise<void>
  close(): void
}

interface Schema extends DBSchema {
  calls: { key: number; value: NewCall & { order?: number }; indexes: { person: string } }
}

const name = 'watchline-journal'

/** The browser's own database; where it is refused (private windows of some browsers) memory has to do. */
export async function openJournalStore(log: (message: string, error: unknown) => void): Promise<JournalStore> {
  try {
    return inBrowser(
      await openDB<Schema>(name, 1, {
        upgrade(database) {
          const calls = database.createObjectStore('calls', { keyPath: 'order', autoIncrement: true })
          calls.createIndex('person', 'person')
        },
        // A later version of this page wants to upgrade: it must not wait for this one.
        blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
      }),
    )
  } catch (error) {
    log('unsent calls cannot be kept through a reload here', error)
    return createMemoryStore()
  }
}

function inBrowser(database: IDBPDatabase<Schema>): JournalStore {
  const all = async (person: string) => (await database.getAllFromIndex('calls', 'person', person)) as StoredCall[]
  return {
    async add(call, replaces) {
      const transaction = database.transaction('calls', 'readwrite')
      const calls = transaction.store
      for (const earlier of (await calls.index('person').getAll(call.person)) as StoredCall[])
        if (replaces(earlier)) await calls.delete(earlier.order)
      const order = await calls.add(call)
      await transaction.done
      return order
    },
    oldest: async (person, wanted) => (await all(person)).find(wanted),
    all,
    async remove(orders) {
      const transaction = database.transaction('calls', 'readwrite')
      await Promise.all([...orders.map(order => transaction.store.delete(order)), transaction.done])
    },
    close: () => database.close(),
  }
}

export function createMemoryStore(): JournalStore {
  let calls: StoredCall[] = []
  let last = 0
  const of = (person: string) => calls.filter(call => call.person === person)
  return {
    async add(call, replaces) {
      last += 1
      calls = calls.filter(earlier => earlier.person !== call.person || !replaces(earlier))
      calls.push({ ...call, order: last })
      return last
    },
    oldest: async (person, wanted) => of(person).find(wanted),
    all: async person => of(person),
    remove: async orders => {
      calls = calls.filter(call => !orders.includes(call.order))
    },
    close: () => {},
  }
}
