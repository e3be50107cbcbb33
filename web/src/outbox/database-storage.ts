import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { OutboxEntry, OutboxStorage } from './outbox-types.ts'

/**
 * `order` is the database's key and only increases. The fields of the call are stored beside it.
 */
interface StoredCall {
  id: string
  person: string
  at: number
  order?: number
}

interface Schema extends DBSchema {
  calls: { key: number; value: StoredCall; indexes: { person: string } }
}

/** Earlier versions of this page stored entries under these names. */
const name = 'watchline-journal'
const version = 1

/** Entries of one owner in IndexedDB. If the browser refuses a database, nothing is stored. */
export function createDatabaseStorage<Call extends object>(
  owner: string,
  log: (message: string, error: unknown) => void,
): OutboxStorage<Call> {
  const opening = openDatabase(log)
  const toEntries = (stored: StoredCall[]) => stored.map(toEntry<Call>)

  async function removeWhere(database: IDBPDatabase<Schema>, isRemoved: (stored: StoredCall) => boolean) {
    const transaction = database.transaction('calls', 'readwrite')
    for (const stored of await transaction.store.index('person').getAll(owner))
      if (isRemoved(stored)) await transaction.store.delete(stored.order!)
    await transaction.done
  }

  return {
    async read() {
      const database = await opening
      return database ? toEntries(await database.getAllFromIndex('calls', 'person', owner)) : []
    },
    async add({ id, at, call }, replaces) {
      const database = await opening
      if (!database) return false
      // Commits without a read before it: a page that closes now would abort an open transaction.
      const adding = database.transaction('calls', 'readwrite')
      const added = adding.store.add({ ...call, id, person: owner, at })
      adding.commit()
      const [order] = await Promise.all([added, adding.done])
      await removeWhere(database, stored => stored.order! < order && replaces(toEntry(stored)))
      return true
    },
    async remove(entries) {
      const database = await opening
      if (!database) return
      const ids = new Set(entries.map(({ id }) => id))
      await removeWhere(database, stored => ids.has(stored.id))
    },
    close: () => void opening.then(database => database?.close()),
  }
}

/** The stored calls of all owners, oldest first. Throws if the browser refuses a database. */
export async function readCallsOfEverybody<Call extends object>(): Promise<Call[]> {
  const database = await openCalls()
  try {
    const stored = await database.getAll('calls')
    return stored.map(call => toEntry<Call>(call).call)
  } finally {
    database.close()
  }
}

/** The number of one owner's stored calls. Throws if the browser refuses a database. */
export async function countCallsOf(owner: string): Promise<number> {
  const database = await openCalls()
  try {
    return await database.countFromIndex('calls', 'person', owner)
  } finally {
    database.close()
  }
}

async function openDatabase(log: (message: string, error: unknown) => void): Promise<IDBPDatabase<Schema> | undefined> {
  try {
    return await openCalls()
  } catch (error) {
    log('database refused, unsent calls are lost on reload', error)
    return undefined
  }
}

function openCalls(): Promise<IDBPDatabase<Schema>> {
  return openDB<Schema>(name, version, {
    upgrade(database) {
      const calls = database.createObjectStore('calls', { keyPath: 'order', autoIncrement: true })
      calls.createIndex('person', 'person')
    },
    // A later version of this page must not wait for this one before it upgrades the database.
    blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
  })
}

function toEntry<Call>({ id, at, person: _person, order: _order, ...call }: StoredCall): OutboxEntry<Call> {
  return { id, at, call: call as Call }
}
