import mongoose, { type ClientSession, type Connection, type Model, type QueryFilter } from 'mongoose'
import { ConfigError } from '../core/config-error.ts'

// The stores build filters from parsed strings and numbers only; contracts reject objects.
mongoose.set('strictQuery', true)

/** An id of this system: 24 hexadecimal digits, growing with time. */
export function newId(): string {
  return new mongoose.Types.ObjectId().toHexString()
}

/**
 * A connection to one service's database, not yet open; every write is acknowledged by a majority
 * and journaled.
 */
export function createDatabase(): Connection {
  return mongoose.createConnection()
}

/**
 * A silent connection is noticed within the sum of the two (by default 40 s), and pending
 * operations fail. Source: the driver's server monitoring clears the pool when its own connection
 * is silent.
 */
const monitoring = { heartbeatFrequencyMS: 3_000, connectTimeoutMS: 5_000 }

/** An operation rejects when no server answers within `timeoutMs`. */
export async function openDatabase(
  connection: Connection,
  url: string,
  database: string,
  timeoutMs = 5_000,
): Promise<void> {
  await connection.openUri(url, {
    dbName: database,
    // Names the service in the server's logs and `$currentOp`.
    appName: database,
    serverSelectionTimeoutMS: timeoutMs,
    writeConcern: { w: 'majority', journal: true },
    readPreference: 'primary',
    autoIndex: false,
    autoCreate: false,
    maxPoolSize: 50,
    ...monitoring,
  })
}

/**
 * A filter for partial indexes: any text that is not empty. MongoDB uses such an index for equality
 * with a text. It does not use an index with `$type: 'string'` for that, and scans the collection.
 */
export const isText = { $gt: '' }

/**
 * The comment of a query that reads a whole collection on purpose. Without it, such a query fails
 * the tests.
 */
export const fullScan = { comment: 'reads all' }

const indexNotFound = 27
const unauthorized = 13
const retired = new WeakMap<object, readonly string[]>()

/**
 * Names indexes of earlier versions, which `ensureIndexes` removes after it has created the current
 * ones. A changed index needs a new name.
 */
export function retireIndexes(schema: object, ...names: string[]): void {
  retired.set(schema, names)
}

/**
 * Creates the collections and indexes of all models. A transaction cannot create a collection that
 * is in use elsewhere.
 */
export async function ensureIndexes(connection: Connection): Promise<void> {
  const stored = (await connection.db!.listCollections().toArray()) as mongoose.mongo.CollectionInfo[]
  const collections = new Map(stored.map(collection => [collection.name, collection]))
  const ensureOf = (model: Model<unknown>) => ensureIndexesOf(model, collections.get(model.collection.collectionName))
  await Promise.all(Object.values(connection.models).map(ensureOf))
}

/** Mongoose's own `createIndexes` sends one command an index, and a start waits for each. */
async function ensureIndexesOf(
  model: Model<unknown>,
  existing: mongoose.mongo.CollectionInfo | undefined,
): Promise<void> {
  if (existing) await changeExpiries(model, existing)
  else await model.createCollection()
  const indexes = model.schema
    .indexes()
    .map(([key, options]) => ({ key, ...options }) as mongoose.mongo.IndexDescription)
  if (indexes.length > 0) await model.collection.createIndexes(indexes)
  await removeRetiredIndexes(model)
}

/** Applies a changed retention: MongoDB refuses to create an index again with another expiry. */
async function changeExpiries(model: Model<unknown>, stored: mongoose.mongo.CollectionInfo): Promise<void> {
  const { collection, schema } = model
  const { expireAfterSeconds, timeseries } = schema.options as { expireAfterSeconds?: number; timeseries?: object }
  // Only a change needs the right to collMod, which older database users do not have.
  if (timeseries && expireAfterSeconds !== undefined && stored.options?.expireAfterSeconds !== expireAfterSeconds)
    await changeCollection(model, { expireAfterSeconds })
  if (!schema.indexes().some(([, options]) => options.expireAfterSeconds)) return
  const existing = new Map((await collection.indexes()).map(index => [index.name, index.expireAfterSeconds]))
  for (const [key, options] of schema.indexes()) {
    const name = options.name ?? Object.entries(key).flat().join('_')
    const expiry = options.expireAfterSeconds as number | undefined
    const current = existing.get(name)
    if (expiry === undefined || current === undefined || current === expiry) continue
    await changeCollection(model, { index: { name, expireAfterSeconds: expiry } })
  }
}

async function changeCollection({ db, collection }: Model<unknown>, change: object): Promise<void> {
  try {
    await db.db!.command({ collMod: collection.collectionName, ...change })
  } catch (error) {
    if ((error as { code?: unknown }).code !== unauthorized) throw error
    throw new ConfigError(
      `MONGO_URL: its user may not change the retention of ${db.name}.${collection.collectionName}, accepted is a user with the right to collMod on that database (docs/deployment.md, Users of the stores)`,
    )
  }
}

/**
 * Removes the retired indexes that exist. `dropIndex` waits until no transaction uses the
 * collection, even if there is no such index.
 */
async function removeRetiredIndexes({ schema, collection }: Model<unknown>): Promise<void> {
  const names = retired.get(schema)
  if (!names) return
  const existing = new Set((await collection.indexes()).map(index => index.name))
  for (const name of names) {
    if (!existing.has(name)) continue
    try {
      await collection.dropIndex(name)
    } catch (error) {
      // Another replica was faster.
      if ((error as { code?: unknown }).code !== indexNotFound) throw error
    }
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

/**
 * Runs `work` in a transaction. MongoDB may make it run again, so it must have no effect outside
 * the session.
 */
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
