import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { serviceNames } from '@watchline/contracts/operation'
import { createDatabase, ensureIndexes, openDatabase } from '@watchline/kit/mongo/database'
import { ConfigError } from '@watchline/kit/process/config'
import mongoose from 'mongoose'
import { deploymentSecrets } from '../../src/deployment/secret-files.ts'
import { initiateMongo } from '../../src/operator/initiate-mongodb.ts'
import { startMongoWithAccessControl } from '../deployment/_guarded-mongo.ts'

/** The server of this test has no certificate; images.test.ts uses one with a certificate. */
async function plainSecrets(): Promise<Record<string, string>> {
  const secrets = Object.entries(await deploymentSecrets())
  return Object.fromEntries(secrets.map(([name, value]) => [name, value.replace('&tls=true', '')]))
}

describe('an initiated MongoDB', () => {
  const folder = mkdtempSync(join(tmpdir(), 'watchline-initiate-'))
  const clients: mongoose.mongo.MongoClient[] = []
  let mongo: Awaited<ReturnType<typeof startMongoWithAccessControl>>
  let secrets: Record<string, string>

  const settingsFrom = (deployment: Record<string, string>) => ({
    MONGO_HOST: mongo.host,
    MONGO_ROOT_PASSWORD: deployment.mongo_root_password!,
    ...Object.fromEntries(
      [...serviceNames, 'operator'].map(name => [
        `MONGO_URL_${name.toUpperCase().replace('-', '_')}`,
        deployment[`mongo_url_${name}`]!,
      ]),
    ),
  })
  /** Connects like a service, through the replica set. */
  const connect = (name: string, deployment = secrets) => connectTo(deployment[`mongo_url_${name}`]!)
  const connectTo = async (address: string) => {
    const url = address.replace('mongodb:27017', mongo.host)
    const client = await mongoose.mongo.MongoClient.connect(`${url}&serverSelectionTimeoutMS=60000`)
    clients.push(client)
    return client
  }

  beforeAll(async () => {
    secrets = await plainSecrets()
    const { mongo_root_password, mongo_keyfile } = secrets
    mongo = await startMongoWithAccessControl(folder, { rootPassword: mongo_root_password!, keyFile: mongo_keyfile! })
    await initiateMongo(settingsFrom(secrets))
  })
  afterAll(async () => {
    for (const client of clients) await client.close()
    await mongo?.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  test.each(serviceNames)('lets %s use its own database, in transactions, and no other', async name => {
    const client = await connect(name)
    const own = client.db(`watchline-${name}`)
    await own.createCollection('things')
    await client.withSession(session =>
      session.withTransaction(() => own.collection('things').insertOne({ name }, { session })),
    )
    await own.collection('things').createIndex({ name: 1 })
    await own.watch().close()
    const otherServices = serviceNames.filter(service => service !== name)
    for (const database of [...otherServices.map(service => `watchline-${service}`), 'admin'])
      await expect(client.db(database).collection('things').findOne()).rejects.toThrow(/not authorized/)
  })

  /** Starts as a service does whose notes expire after so many seconds. */
  const startWithRetention = async (address: string, seconds: number) => {
    const connection = createDatabase()
    try {
      await openDatabase(connection, address.replace('mongodb:27017', mongo.host), 'watchline-chat')
      const notes = new mongoose.Schema({ _id: String, at: { type: Date, expires: seconds } }, { collection: 'notes' })
      connection.model('Note', notes)
      await ensureIndexes(connection)
    } finally {
      await connection.close()
    }
  }

  test('lets a service change a retention, and a user without that right learns which one it needs', async () => {
    const chat = secrets.mongo_url_chat!
    await startWithRetention(chat, 60)
    await startWithRetention(chat, 120)
    const root = await connectTo(chat.replace(/chat:[^@]*@/, `root:${secrets.mongo_root_password}@`))
    const roles = [{ role: 'readWrite', db: 'watchline-chat' }]
    await root.db('admin').command({ createUser: 'limited', pwd: 'limited', roles })
    const limited = chat.replace(/chat:[^@]*@/, 'limited:limited@')
    await startWithRetention(limited, 120)
    const failing = startWithRetention(limited, 180)
    await expect(failing).rejects.toThrow(/watchline-chat\.notes, accepted is a user with the right to collMod/)
    await expect(failing).rejects.toBeInstanceOf(ConfigError)
  })

  test('lets the operator use all databases and extend the snapshot history for a backup', async () => {
    const client = await connect('operator')
    for (const name of serviceNames)
      expect(await client.db(`watchline-${name}`).collection('things').findOne()).toMatchObject({ name })
    await client.db('admin').command({ setParameter: 1, minSnapshotHistoryWindowInSeconds: 300 })
    await expect(client.db('admin').command({ usersInfo: 1 })).rejects.toThrow(/not authorized/)
  })

  test('changes passwords and keeps everything else', async () => {
    const changed = { ...secrets, mongo_url_chat: (await plainSecrets()).mongo_url_chat! }
    await initiateMongo(settingsFrom(changed))
    const client = await connect('chat', changed)
    expect(await client.db('watchline-chat').collection('things').findOne()).toMatchObject({ name: 'chat' })
    await expect(connect('chat')).rejects.toThrow(/Authentication failed/)
    expect(await (await connect('engagement')).db('watchline-engagement').collection('things').countDocuments()).toBe(1)
  })

  test('names a missing setting in one line', async () => {
    await expect(initiateMongo({ ...settingsFrom(secrets), MONGO_URL_CHAT: '' })).rejects.toThrow(
      'MONGO_URL_CHAT: nothing was given, accepted is a mongodb:// address with a user and a password',
    )
  })
})
