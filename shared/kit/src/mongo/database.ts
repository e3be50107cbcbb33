import mongoose, { type ClientSession, type Connection, type Model, type QueryFilter } from 'mongoose'

// Filters are built by the stores from parsed strings and numbers only (the contracts let no object through).
mongoose.set('strictQuery', true)

/** An id of this system: 24 hexadecimal digits, growing with time. */
export function newId(): string {
  return new mongoose.Types.ObjectId().toHexString()
}

/** A connection to one service's database, not yet open; every write is acknowledged by a majority and journaled. */
export function createDatabase(): Connection {
  return mongoose.createConnection()
}

/**
 * A network that died without a word is noticed within the sum of the two (the driver's own: 40 s), and everything that waits for an answer over it
 * is then told so. Source: the driver's server monitoring, which clears the pool when its own connection falls silent.
 */
const noticesSilence = { heartbeatFrequencyMS: 3_000, connectTimeoutMS: 5_000 }

/** Opens it. An operation rejects when no server answers within `timeoutMs`. */
export async function openDatabase(
  connection: Connection,
  url: string,
  database: string,
  timeoutMs = 5_000,
): Promise<void> {
  await connection.openUri(url, {
    dbName: database,
    // For whoever looks at what the server is doing.
    appName: database,
    serverSelectionTimeoutMS: timeoutMs,
    writeConcern: { w: 'majority', journal: true },
    readPreference: 'primary',
    autoIndex: false,
    autoCreate: false,
    maxPoolSize: 50,
    ...noticesSilence,
  })
}

/**
 * For partial indexes: what holds a text that is not empty. Queries for a text, or for one of several, are served by such an index; by one for
 * `$type: 'string'` they are not, because MongoDB does not see that what equals a text is of that type, and reads the whole collection instead.
 */
export const isText = { $gt: '' }

/** The comment of a query that is meant to read a whole collection. What does without saying so fails the tests. */
export const fullScan = { comment: 'reads all' }

const indexNotFound = 27
const retired = new WeakMap<object, readonly string[]>()

/** Names indexes of earlier versions, which are removed once those of this one are there. An index that changes needs a new name. */
export function retireIndexes(schema: object, ...names: string[]): void {
  retired.set(schema, names)
}

/** Creates the collections and indexes of all models; a transaction cannot create a collection that is in use elsewhere. */
export async function ensureIndexes(connection: Connection): Promise<void> {
  for (const model of Object.values(connection.models)) {
    await model.createCollection()
    await model.createIndexes()
    for (const name of retired.get(model.schema) ?? []) await removeIndex(model, name)
  }
}

async function removeIndex(model: Model<unknown>, name: string): Promise<void> {
  try {
    await model.collection.dropIndex(name)
  } catch (error) {
    if ((error as { code?: unknown }).code !== indexNotFound) throw error
  }
}

/**
 * Documents in the order of ids: after `after`, up to and including `upTo` (undefined: to the end),
 * at most `limit`.
 */
export async function pageById<T extends { _id: string }>(
  stored: Model<T>,
  { after, upTo, limit }: { after: string; upTo?: string | undefined; limit: number },
): Promise<T[]> {
  const filter = { _id: { $gt: after, ...(upTo !== undefined && { $lte: upTo }) } } as QueryFilter<T>
  return stored.find(filter).sort({ _id: 1 }).limit(limit).lean<T[]>()
}

/** Runs `work` in a transaction, again when MongoDB asks for it, so it must have no effect outside the session. */
export async function inTransaction<T>(
  connection: Connection,
  work: (session: ClientSession) => Promise<T>,
): Promise<T> {
  const session = await connection.startSession()
  try {
    return await session.withTransaction(() => work(session), {
      readConcern: { level: 'snapshot' },
      writeConcern: { w: 'majority', journal: true },
    })
  } finally {
    await session.endSession()
  }
}
