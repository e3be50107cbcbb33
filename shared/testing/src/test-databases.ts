import { fullScan } from '@watchline/kit/mongo/database'
import type mongoose from 'mongoose'
import { databasePool } from './database-pool.ts'

const scanning = {
  planSummary: /COLLSCAN/,
  op: { $ne: 'getmore' },
  // Change streams read the oplog.
  'command.pipeline.0.$changeStream': { $exists: false },
  'command.comment': { $ne: fullScan.comment },
}

const services = ['auth', 'playback-session', 'engagement', 'notification', 'chat']

/**
 * Lets MongoDB record queries that scan a whole collection. In a test that is a handful of
 * documents, in production all of them.
 */
export async function recordScans(client: mongoose.mongo.MongoClient, prefix: string): Promise<void> {
  const profile = { profile: 1, slowms: 0, filter: scanning }
  await Promise.all(services.map(service => client.db(`${prefix}-${service}`).command(profile)))
}

/** The recorded scans of the services; tests themselves may scan. */
export async function readScans(client: mongoose.mongo.MongoClient, prefix: string): Promise<string[]> {
  const found = services.map(async service => {
    const database = client.db(`${prefix}-${service}`)
    await database.command({ profile: 0 })
    // A test may have let the profile record other operations, too.
    const own = { ...scanning, appName: database.databaseName }
    const entries = await database.collection('system.profile').find(own).toArray()
    return entries.map(({ ns, command }) => `${ns} ${JSON.stringify(command.filter ?? command.pipeline ?? command)}`)
  })
  return [...new Set((await Promise.all(found)).flat())]
}

/** Drops the databases of all services under the prefix. */
export async function dropDatabases(client: mongoose.mongo.MongoClient, prefix: string): Promise<void> {
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true })
  for (const { name } of databases) if (name.startsWith(`${prefix}-`)) await client.db(name).dropDatabase()
}

/** Drops the databases of all services under the prefix, or empties them for the next world. */
export async function releaseDatabases(client: mongoose.mongo.MongoClient, prefix: string): Promise<void> {
  if (!databasePool.isOpen) return dropDatabases(client, prefix)
  await Promise.all(services.map(service => emptyDatabase(client.db(`${prefix}-${service}`))))
  databasePool.prefixes.push(prefix)
}

async function emptyDatabase(database: mongoose.mongo.Db): Promise<void> {
  const collections = await database.listCollections({ name: /^(?!system\.)/ }, { nameOnly: true }).toArray()
  await Promise.all([
    ...collections.map(({ name }) => database.collection(name).deleteMany({})),
    // The log of scans; nothing else empties it.
    database.dropCollection('system.profile'),
  ])
}
