import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { consumersOf } from '@watchline/contracts/events'
import { createMemoryLiveStore } from '@watchline/kit/live/memory-live-store'
import { createInProcessBus } from '@watchline/kit/messaging/in-process/in-process-bus'
import { newId } from '@watchline/kit/mongo/database'
import { createLogger } from '@watchline/kit/observability/log'
import { eventually } from '@watchline/testing/harness'
import mongoose from 'mongoose'
import { provisionMongo } from '../../src/provision/mongo.ts'
import { cacheFolder } from '../../src/provision/paths.ts'
import { developmentSecrets } from '../../src/start/secrets.ts'
import { startServices } from '../../src/start/services.ts'
import { afterTest, temporaryFolder } from '../_processes.ts'

const dayMs = 24 * 3600_000

/** Each kind of data with a setting: the setting, where it lies, and the time that counts. */
const kinds = [
  ['RETENTION_MESSAGES_DAYS', 'chat', 'messages', 'at'],
  ['RETENTION_COMMENTS_DAYS', 'engagement', 'comments', 'created_at'],
  ['RETENTION_NOTIFICATIONS_DAYS', 'notification', 'notifications', 'updated_at'],
  ['RETENTION_REPORTS_DAYS', 'engagement', 'reports', 'at'],
  ['RETENTION_SESSIONS_DAYS', 'playback-session', 'monitoring_sessions', 'ended_at'],
  ['RETENTION_SIGN_INS_DAYS', 'auth', 'sessions', 'expires_at'],
  ['RETENTION_VIEWS_DAYS', 'engagement', 'detail_views', 'at'],
  ['RETENTION_AUDIT_DAYS', 'auth', 'audit', 'at'],
] as const

/** A MongoDB of its own, because that of the tests keeps what has expired. */
async function startWithRetention(settings: NodeJS.ProcessEnv) {
  const dataDir = temporaryFolder()
  const mongo = await provisionMongo({
    dataDir: join(dataDir, 'mongo'),
    cacheDir: cacheFolder(),
    alwaysStart: true,
    removeExpiredEveryS: 1,
    log: () => {},
  })
  afterTest(mongo.stop)
  const live = createMemoryLiveStore()
  afterTest(() => live.close())
  const bus = createInProcessBus({ consumersOf, log: createLogger('test', 'silent') })
  afterTest(() => bus.close())
  const env = { LOG_LEVEL: 'silent', ...developmentSecrets(dataDir, {}), MONGO_URL: mongo.url, ...settings }
  await startServices(env, { bus, live }, stop => afterTest(stop))
  const client = await mongoose.mongo.MongoClient.connect(mongo.url)
  afterTest(() => client.close())
  return client
}

test('MongoDB removes each kind of data after the days that are set, and nothing younger', async () => {
  const client = await startWithRetention(Object.fromEntries(kinds.map(([name]) => [name, '1'])))
  const collectionOf = (service: string, name: string) => client.db(`watchline-${service}`).collection<Row>(name)
  type Row = { _id: string; [field: string]: unknown }
  const age = (days: number) => new Date(Date.now() - days * dayMs)
  // A request for approval without a recipient waits longer.
  for (const [, service, name, field] of kinds)
    for (const [id, days] of [
      ['old', 2],
      ['young', 0.5],
    ] as const)
      await collectionOf(service, name).insertOne({
        ...{ _id: id, marker: newId(), recipient_id: 'person' },
        [field]: age(days),
      })

  for (const [, service, name] of kinds)
    await eventually(async () => {
      const rows = await collectionOf(service, name)
        .find({ _id: { $in: ['old', 'young'] } })
        .toArray()
      expect([name, rows.map(({ _id }) => _id)]).toEqual([name, ['young']])
    })
})
