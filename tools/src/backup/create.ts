import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { PassThrough, Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { serviceNames } from '@watchline/contracts/operation'
import { version } from '@watchline/kit/core/version'
import mongoose from 'mongoose'
import type { Log } from '../provision/types.ts'
import { BackupError } from './backup-error.ts'
import { encryptFile } from './encryption.ts'
import { addToReceiptList, readReceipts } from './erasure-receipts.ts'
import type { BackupKeys } from './keys.ts'
import { type CollectionEntry, dataFile, type Manifest, nameOf, writeManifest } from './manifest.ts'

type Client = mongoose.mongo.MongoClient
type Session = mongoose.mongo.ClientSession

/**
 * A backup needs more snapshot history than MongoDB keeps by default: five minutes, or seconds in
 * Watchline's own MongoDB.
 */
const snapshotHistoryS = 3_600

export interface CreateOptions {
  mongoUrl: string
  databasePrefix: string
  /** Must not exist yet. It appears only when the backup is complete. */
  folder: string
  keys: BackupKeys
  encrypts: boolean
  log: Log
}

/**
 * Writes all databases as of one instant into `folder`, while everything runs. All reads use one
 * snapshot, so no event, projection or reference points outside the backup. MongoDB has no
 * snapshots of time series, so their data are as of their own read.
 */
export async function createBackup(options: CreateOptions): Promise<Manifest> {
  const { mongoUrl, databasePrefix, folder: path, keys, encrypts, log } = options
  const folder = resolve(path)
  if (existsSync(folder)) throw new BackupError(`${folder} exists already. Name a new folder.`)
  const unfinished = `${folder}.unfinished`
  const client = new mongoose.mongo.MongoClient(mongoUrl, { serverSelectionTimeoutMS: 5_000 })
  const session = client.startSession({ snapshot: true })
  try {
    const restoreHistory = await extendHistory(client, log)
    try {
      const format = encrypts ? 2 : 1
      const databases = await writeAll({ client, session, databasePrefix, folder: unfinished, format, keys, log })
      const at = instantOf(session)
      const manifest: Manifest = { watchline: 'backup', format, version, at, has_erasure_list: true, databases }
      addToReceiptList(folder, await readReceipts(client, databasePrefix), keys, log)
      writeManifest(unfinished, manifest, keys)
      renameSync(unfinished, folder)
      return manifest
    } finally {
      await restoreHistory()
    }
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
    await session.endSession()
    await client.close()
  }
}

interface WriteOptions {
  client: Client
  session: Session
  databasePrefix: string
  folder: string
  format: Manifest['format']
  keys: BackupKeys
  log: Log
}

async function writeAll(options: WriteOptions): Promise<Manifest['databases']> {
  const { client, session, databasePrefix, folder, format, keys, log } = options
  rmSync(folder, { recursive: true, force: true })
  const sources = await Promise.all(
    serviceNames.map(async service => {
      const database = client.db(`${databasePrefix}-${service}`)
      const collections = await database.listCollections({ type: { $in: ['collection', 'timeseries'] } }).toArray()
      return { service, database, collections: collections.filter(({ name }) => !name.startsWith('system.')) }
    }),
  )
  if (sources.every(({ collections }) => collections.length === 0))
    throw new BackupError(`There are no databases ${databasePrefix}-… at this MongoDB. Check DATABASE_PREFIX.`)
  const databases: Manifest['databases'] = {}
  // In sequence: the first read sets the snapshot's instant for all.
  for (const { service, database, collections } of sources) {
    mkdirSync(`${folder}/${service}`, { recursive: true, mode: 0o700 })
    const entries: Record<string, CollectionEntry> = {}
    for (const { name, type, ...info } of collections) {
      const { options = {} } = info as { options?: Record<string, unknown> }
      const snapshot = type === 'timeseries' ? undefined : session
      const file = dataFile(folder, { format }, service, name)
      const encryption = format === 2 ? () => encryptFile(nameOf(service, name), keys) : () => new PassThrough()
      entries[name] = await writeCollection(database.collection(name), options, snapshot, file, encryption())
    }
    databases[service] = entries
    log(`${service}: ${count(entries)} documents`)
  }
  return databases
}

async function writeCollection(
  collection: mongoose.mongo.Collection,
  options: Record<string, unknown>,
  session: Session | undefined,
  file: string,
  encryption: Transform,
): Promise<CollectionEntry> {
  const indexes = (await collection.indexes()) as CollectionEntry['indexes']
  let documents = 0
  async function* rawDocuments() {
    for await (const document of collection.find({}, { raw: true, batchSize: 1_000, ...(session && { session }) })) {
      documents += 1
      yield document as unknown as Buffer
    }
  }
  const target = createWriteStream(file, { mode: 0o600 })
  await pipeline(Readable.from(rawDocuments()), createGzip({ level: 6 }), encryption, target)
  return { documents, sha256: await sha256Of(file), options, indexes }
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

export const count = (entries: Record<string, CollectionEntry>) =>
  Object.values(entries).reduce((sum, entry) => sum + entry.documents, 0)

function instantOf(session: Session): string {
  const { snapshotTime } = session as unknown as { snapshotTime?: mongoose.mongo.Timestamp }
  if (!snapshotTime) throw new Error('MongoDB gave no snapshot')
  return new Date(snapshotTime.getHighBitsUnsigned() * 1_000).toISOString()
}

/**
 * Extends MongoDB's snapshot history, and returns a function that restores the setting. Without the
 * right to set parameters a long backup fails.
 */
async function extendHistory(client: Client, log: Log): Promise<() => Promise<void>> {
  const admin = client.db('admin')
  const name = 'minSnapshotHistoryWindowInSeconds'
  try {
    const { [name]: previous } = await admin.command({ getParameter: 1, [name]: 1 })
    if (Number(previous) >= snapshotHistoryS) return async () => {}
    await admin.command({ setParameter: 1, [name]: snapshotHistoryS })
    return async () => {
      await admin.command({ setParameter: 1, [name]: previous })
    }
  } catch {
    log(`MongoDB refused to change ${name}. A backup that takes longer than MongoDB's snapshot history fails.`)
    return async () => {}
  }
}
