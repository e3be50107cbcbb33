import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { serviceNames } from '@watchline/contracts/operation'
import mongoose from 'mongoose'
import { deploymentSecrets } from '../../src/deployment/secret-files.ts'
import { initiateMongo } from '../../src/operator/initiate-mongodb.ts'
import { startGuardedMongo } from '../deployment/_guarded-mongo.ts'

describe('a new MongoDB that was made ready', () => {
  const folder = mkdtempSync(join(tmpdir(), 'watchline-initiate-'))
  const clients: mongoose.mongo.MongoClient[] = []
  let mongo: Awaited<ReturnType<typeof startGuardedMongo>>
  let secrets: Record<string, string>

  const settings = (given: Record<string, string>) => ({
    MONGO_HOST: mongo.host,
    MONGO_ROOT_PASSWORD: given.mongo_root_password!,
    ...Object.fromEntries(
      [...serviceNames, 'operator'].map(name => [
        `MONGO_URL_${name.toUpperCase().replace('-', '_')}`,
        given[`mongo_url_${name}`]!,
      ]),
    ),
  })
  /** As a service connects: through the replica set. */
  const connect = async (name: string, given = secrets) => {
    const url = given[`mongo_url_${name}`]!.replace('mongodb:27017', mongo.host)
    const client = await mongoose.mongo.MongoClient.connect(`${url}&serverSelectionTimeoutMS=5000`)
    clients.push(client)
    return client
  }

  beforeAll(async () => {
    secrets = deploymentSecrets()
    const { mongo_root_password, mongo_keyfile } = secrets
    mongo = await startGuardedMongo(folder, { rootPassword: mongo_root_password!, keyFile: mongo_keyfile! })
    await initiateMongo(settings(secrets))
  }, 120_000)
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
    const others = serviceNames.filter(other => other !== name)
    for (const other of [...others.map(each => `watchline-${each}`), 'admin'])
      await expect(client.db(other).collection('things').findOne()).rejects.toThrow(/not authorized/)
  })

  test('lets the operator read and write all of them, and have the past kept for a backup', async () => {
    const client = await connect('operator')
    for (const name of serviceNames)
      expect(await client.db(`watchline-${name}`).collection('things').findOne()).toMatchObject({ name })
    await client.db('admin').command({ setParameter: 1, minSnapshotHistoryWindowInSeconds: 300 })
    await expect(client.db('admin').command({ usersInfo: 1 })).rejects.toThrow(/not authorized/)
  })

  test('takes on passwords that have changed, and keeps everything else', async () => {
    const changed = { ...secrets, mongo_url_chat: deploymentSecrets().mongo_url_chat! }
    await initiateMongo(settings(changed))
    const client = await connect('chat', changed)
    expect(await client.db('watchline-chat').collection('things').findOne()).toMatchObject({ name: 'chat' })
    await expect(connect('chat')).rejects.toThrow(/Authentication failed/)
    expect(await (await connect('engagement')).db('watchline-engagement').collection('things').countDocuments()).toBe(1)
  })

  test('says in one line what it lacks', async () => {
    await expect(initiateMongo({ ...settings(secrets), MONGO_URL_CHAT: '' })).rejects.toThrow(
      'MONGO_URL_CHAT: nothing was given, accepted is a mongodb:// address with a user and a password',
    )
  })
})
