import { createReadStream, existsSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PassThrough, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { serviceNames } from '@watchline/contracts/operation'
import { topologyOf } from '@watchline/kit/messaging/rabbitmq/topology'
import { connect } from 'amqplib'
import { Redis } from 'ioredis'
import mongoose from 'mongoose'
import type { Log } from '../provision/types.ts'
import { reportUndoneRights, withoutAccess } from './access-after-restore.ts'
import { auditRestore, keepAuditHead, unfinishedRestore } from './audit-entry.ts'
import { BackupError } from './backup-error.ts'
import { count, sha256Of } from './create.ts'
import { decryptFile } from './encryption.ts'
import { markErasures, mergeReceipts, readReceiptList, readReceipts, writeReceiptList } from './erasure-receipts.ts'
import type { BackupKeys } from './keys.ts'
import { type CollectionEntry, dataFile, type Manifest, nameOf, readManifest, type Verification } from './manifest.ts'

type BsonDocument = mongoose.mongo.BSON.Document

const { BSON } = mongoose.mongo
const batchDocuments = 1_000
const batchBytes = 8 * 1_048_576

/** The system to restore. `make start` has no broker and no live store. */
export interface RestoreTarget {
  mongoUrl: string
  databasePrefix: string
  amqp?: { url: string; exchange: string }
  redis?: { url: string; prefix: string }
  /**
   * The data folder of an instance on this machine that is stopped. Its next start would deliver
   * what the folder holds of queues and dead letters.
   */
  stoppedDataFolder?: string
  /** Deletes existing data. */
  replace: boolean
  verification: Verification
  log: Log
}

/** Compares the whole backup with its manifest, and the manifest with its signature. */
export async function checkBackup(folder: string, verification: Verification): Promise<Manifest> {
  const manifest = readManifest(folder, verification)
  for (const [service, collections] of Object.entries(manifest.databases))
    for (const [name, { sha256, documents }] of Object.entries(collections)) {
      const file = dataFile(folder, manifest, service, name)
      if (!existsSync(file)) throw new BackupError(`${file} is missing.`)
      if ((await sha256Of(file)) !== sha256) throw new BackupError(`${file} differs from its manifest.`)
      let actual = 0
      for await (const _ of documentsOf(contentOf(folder, manifest, service, name, verification.keys))) actual += 1
      if (actual !== documents) throw new BackupError(`${file} holds ${actual} documents, not ${documents}.`)
    }
  return manifest
}

/** A file of the backup, decrypted but compressed. */
function contentOf(
  folder: string,
  manifest: Manifest,
  service: string,
  name: string,
  keys: BackupKeys | undefined,
): BackupContent {
  const file = dataFile(folder, manifest, service, name)
  return { file, decryption: manifest.format === 2 ? decryptFile(nameOf(service, name), keys!) : new PassThrough() }
}

interface BackupContent {
  file: string
  decryption: Transform
}

/**
 * Restores all databases to the instant of the backup. Every service must be stopped. Queues and
 * live store are emptied, because they hold later events and versions. Events that the broker held
 * at that instant are not lost, because the outboxes keep events for three days and publish them
 * again. Consumers skip repeated event ids. People who were erased after the backup are erased
 * again at the next start. Everybody has to sign in again.
 */
export async function restoreBackup(folder: string, target: RestoreTarget): Promise<Manifest> {
  const { mongoUrl, databasePrefix, amqp, redis, stoppedDataFolder, replace, verification, log } = target
  const manifest = await checkBackup(folder, verification)
  const listed = readReceiptList(resolve(folder), verification, manifest.has_erasure_list)
  if (amqp) await refuseWhileConsumed(amqp)
  const client = new mongoose.mongo.MongoClient(mongoUrl, {
    serverSelectionTimeoutMS: 5_000,
    writeConcern: { w: 'majority', journal: true },
  })
  try {
    const databaseOf = (service: string) => client.db(`${databasePrefix}-${service}`)
    for (const service of serviceNames) {
      const database = databaseOf(service)
      const isEmpty = (await collectionsOf(database)).length === 0
      if (!isEmpty && !replace)
        throw new BackupError(`The database ${database.databaseName} is not empty. Add --replace to delete its data.`)
    }
    // Also beside the backup, because a restore that fails half-way must not forget them.
    const receipts = mergeReceipts([...listed, ...(await readReceipts(client, databasePrefix))])
    if (receipts.length > listed.length) {
      // Nobody has compared the list or the backup, which a first attempt may have put into the
      // databases. So nothing of either gets a signature here.
      const keys = verification.unsigned ? undefined : verification.keys
      writeReceiptList(resolve(folder), receipts, keys)
      if (!keys) log('The list of erasures has no signature now. The next `create` makes a new one.')
    }
    await reportUndoneRights(databaseOf('auth'), manifest.at, log)
    // Since the first look, an autoscaler may have started a service again.
    if (amqp) await refuseWhileConsumed(amqp)
    const now = new Date()
    const replaced = await keepAuditHead(databaseOf('auth'))
    // Drops collections, because the operator's user may lack the right to drop a database.
    for (const service of serviceNames)
      for (const { name } of await collectionsOf(databaseOf(service)))
        if (name !== unfinishedRestore) await databaseOf(service).dropCollection(name)
    for (const [service, collections] of Object.entries(manifest.databases)) {
      for (const [name, entry] of Object.entries(collections))
        await restoreCollection(
          databaseOf(service),
          name,
          entry,
          contentOf(folder, manifest, service, name, verification.keys),
          document => restoredForm(service, name, document, now),
        )
      log(`${service}: ${count(collections)} documents`)
    }
    log('auth: all login sessions are ended, and open sign-ins and invitations of administrators are removed')
    const repeated = await markErasures(client, databasePrefix, receipts)
    if (repeated > 0) log(`${repeated} people were erased after the backup. The next start erases them again.`)
    if (manifest.databases.auth?.audit)
      await auditRestore(databaseOf('auth'), { backupAt: manifest.at, at: now, replaced })
    // A service that ran meanwhile has worked on half-restored data.
    if (amqp) await refuseWhileConsumed(amqp)
    await databaseOf('auth').dropCollection(unfinishedRestore)
  } finally {
    await client.close()
  }
  if (amqp) await emptyBroker(amqp, log)
  if (redis) await emptyLiveStore(redis, log)
  if (stoppedDataFolder) removeStoredEvents(stoppedDataFolder, log)
  return manifest
}

async function collectionsOf(database: mongoose.mongo.Db) {
  const collections = await database.listCollections({}, { nameOnly: true }).toArray()
  return collections.filter(({ name }) => !name.startsWith('system.'))
}

async function restoreCollection(
  database: mongoose.mongo.Db,
  name: string,
  entry: CollectionEntry,
  content: BackupContent,
  toRestored: (document: BsonDocument) => BsonDocument | undefined,
) {
  const collection = await database.createCollection(name, entry.options)
  let batch: BsonDocument[] = []
  let bytes = 0
  const flush = async () => {
    // Numbers keep their BSON types, because `promoteValues` is off.
    if (batch.length > 0) await collection.insertMany(batch, { ordered: false, ignoreUndefined: false })
    batch = []
    bytes = 0
  }
  for await (const raw of documentsOf(content)) {
    const document = toRestored(BSON.deserialize(raw, { promoteValues: false, promoteLongs: false, bsonRegExp: true }))
    if (!document) continue
    batch.push(document)
    bytes += raw.length
    if (batch.length >= batchDocuments || bytes >= batchBytes) await flush()
  }
  await flush()
  // After the documents, so that a TTL index cannot delete rows during the restore.
  for (const { key, v: _, ns: __, ...options } of entry.indexes as (CollectionEntry['indexes'][number] & {
    v?: unknown
    ns?: unknown
  })[])
    if (options.name !== '_id_') await collection.createIndex(key as Record<string, 1>, options)
}

/** The document as a restore writes it, undefined for one that it leaves out. */
function restoredForm(service: string, name: string, document: BsonDocument, now: Date): BsonDocument | undefined {
  if (name === 'outbox') return toUnpublished(document)
  // The outboxes publish these events again now, so their ids must not expire by an earlier time.
  if (name === 'consumed_events') return { ...document, at: now }
  return withoutAccess(service, name, document, now)
}

/** The outbox row as unpublished, because the broker no longer has the event. */
function toUnpublished(row: BsonDocument): BsonDocument {
  const { published_at: _, claimed_by: __, claimed_until: ___, ...fields } = row
  return { ...fields, pending: true }
}

/** The documents of a file. Each begins with its length. */
async function* documentsOf({ file, decryption }: BackupContent): AsyncGenerator<Buffer> {
  let buffered: Buffer = Buffer.alloc(0)
  const content = createGunzip()
  // An error of any part ends the last one, and with it the loop.
  pipeline(createReadStream(file), decryption, content).catch(() => {})
  try {
    for await (const chunk of content) {
      buffered = buffered.length > 0 ? Buffer.concat([buffered, chunk as Buffer]) : (chunk as Buffer)
      for (;;) {
        const length = buffered.length >= 4 ? buffered.readInt32LE(0) : Number.POSITIVE_INFINITY
        if (buffered.length < length) break
        yield buffered.subarray(0, length)
        buffered = buffered.subarray(length)
      }
    }
  } catch (error) {
    const reason = (error as Error).message
    throw new BackupError(`${file} cannot be read (${reason}). It was changed, or encrypted with another key.`)
  }
  if (buffered.length > 0) throw new BackupError(`${file} ends in the middle of a document.`)
}

type Amqp = NonNullable<RestoreTarget['amqp']>

async function withBroker<T>(
  { url }: Amqp,
  work: (connection: Awaited<ReturnType<typeof connect>>) => Promise<T>,
): Promise<T> {
  const connection = await connect(url)
  connection.on('error', () => {})
  try {
    return await work(connection)
  } finally {
    await connection.close().catch(() => {})
  }
}

/**
 * A queue, or undefined if it does not exist. A missing queue closes its channel, so each check
 * opens its own.
 */
async function findQueue(connection: Awaited<ReturnType<typeof connect>>, queue: string) {
  const channel = await connection.createChannel()
  channel.on('error', () => {})
  try {
    const state = await channel.checkQueue(queue)
    await channel.close()
    return state
  } catch {
    return undefined
  }
}

async function refuseWhileConsumed(amqp: Amqp) {
  const topology = topologyOf(amqp.exchange)
  await withBroker(amqp, async connection => {
    for (const service of serviceNames) {
      const queue = await findQueue(connection, topology.queue(service))
      if (queue && queue.consumerCount > 0)
        throw new BackupError(`The ${service} service is still running. Stop every service, then restore.`)
    }
  })
}

async function emptyBroker(amqp: Amqp, log: Log) {
  const topology = topologyOf(amqp.exchange)
  const levels = Array.from({ length: 20 }, (_, index) => index + 1)
  const queues = serviceNames.flatMap(service => [
    topology.queue(service),
    topology.dead(service),
    ...levels.map(level => topology.retry(service, level)),
  ])
  // Services of older versions shared their retry queues.
  const sharedRetries = levels.map(level => `${topology.exchange}.retry.${level}`)
  await withBroker(amqp, async connection => {
    let purged = 0
    for (const queue of [...queues, ...sharedRetries]) {
      if (!(await findQueue(connection, queue))) continue
      const channel = await connection.createChannel()
      purged += (await channel.purgeQueue(queue)).messageCount
      await channel.close()
    }
    log(`RabbitMQ: ${purged} messages removed. The outboxes publish their events again.`)
  })
}

async function emptyLiveStore({ url, prefix }: NonNullable<RestoreTarget['redis']>, log: Log) {
  const redis = new Redis(url, { maxRetriesPerRequest: 1, lazyConnect: true })
  redis.on('error', () => {})
  try {
    await redis.connect()
    let removed = 0
    const pattern = `${prefix.replace(/[*?[\]\\]/g, '\\$&')}*`
    for await (const keys of redis.scanStream({ match: pattern, count: 1_000 }) as AsyncIterable<string[]>)
      if (keys.length > 0) removed += await redis.unlink(...keys)
    log(`Redis: ${removed} keys removed`)
  } finally {
    redis.disconnect()
  }
}

/**
 * RabbitMQ's data, and the dead letters of `make start`. The next start creates users and queues
 * again.
 */
function removeStoredEvents(dataFolder: string, log: Log) {
  for (const name of ['rabbitmq', 'dead-letters.json']) {
    const path = join(dataFolder, name)
    if (!existsSync(path)) continue
    rmSync(path, { recursive: true })
    log(`${path} is removed, because it may hold events from after the backup`)
  }
}
