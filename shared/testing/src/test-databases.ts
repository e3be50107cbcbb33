import { fullScan } from '@watchline/kit/mongo/database'
import type mongoose from 'mongoose'

const scanning = {
  planSummary: /COLLSCAN/,
  // Tests have no name, and may scan.
  appName: { $exists: true },
  op: { $ne: 'getmore' },
  // Change streams read the oplog.
  'command.pipeline.0.$changeStream': { $exists: false },
  'command.comment': { $ne: fullScan.comment },
}

const services = ['auth', 'playback-session', 'engagement', 'notification', 'chat']

/**
 * Prefixes of the emptied databases of closed test worlds, by the package whose tests used them.
 * The next world of that package in the same worker process finds their collections and indexes,
 * whose creation takes longer than most tests.
 */
const emptied = new Map<string, string[]>()

/** The prefix of empty databases; undefined if all are in use. */
export const takeEmptiedPrefix = (testPackage: string): string | undefined => emptied.get(testPackage)?.pop()

/**
 * Lets MongoDB record queries that scan a whole collection. In a test that is a handful of
 * documents, in production all of them.
 */
export async function recordScans(client: mongoose.mongo.MongoClient, prefix: string): Promise<void> {
  const profile = { profile: 1, filter: scanning }
  for (const service of services) await client.db(`${prefix}-${service}`).command(profile)
}

/** The scans of the services recorded since then. */
export async function readScans(client: mongoose.mongo.MongoClient, prefix: string, since: Date): Promise<string[]> {
  const scans = new Set<string>()
  for (const service of services) {
    const database = client.db(`${prefix}-${service}`)
    // A test may have let the profile record other operations, too.
    const own = { ...scanning, appName: database.databaseName, ts: { $gte: since } }
    for await (const { ns, command } of database.collection('system.profile').find(own))
      scans.add(`${ns} ${JSON.stringify(command.filter ?? command.pipeline ?? command)}`)
  }
  return [...scans]
}

/** Drops the databases of all services under the prefix. */
export async function dropDatabases(client: mongoose.mongo.MongoClient, prefix: string): Promise<void> {
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true })
  for (const { name } of databases) if (name.startsWith(`${prefix}-`)) await client.db(name).dropDatabase()
}

/** Empties the databases of all services under the prefix, for the next world of the package. */
export async function releaseDatabases(
  client: mongoose.mongo.MongoClient,
  prefix: string,
  testPackage: string,
): Promise<void> {
  for (const service of services) {
    const database = client.db(`${prefix}-${service}`)
    const collections = await database.listCollections({ name: /^(?!system\.)/ }, { nameOnly: true }).toArray()
    for (const { name } of collections) await database.collection(name).deleteMany({}, { writeConcern: { w: 1 } })
  }
  if (!emptied.has(testPackage)) emptied.set(testPackage, [])
  emptied.get(testPackage)!.push(prefix)
}
