import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { consumersOf } from '@watchline/contracts/events'
import type { ServiceName } from '@watchline/contracts/operation'
import { createTokenSigner } from '@watchline/identity/tokens'
import { createMemoryLiveStore } from '@watchline/kit/live/memory-live-store'
import { createInProcessBus } from '@watchline/kit/messaging/in-process/in-process-bus'
import { createLogger } from '@watchline/kit/observability/log'
import { apiClient } from '@watchline/testing/api-client'
import { serverUrl } from '@watchline/testing/harness'
import { dropDatabases } from '@watchline/testing/test-databases'
import mongoose from 'mongoose'
import { emailOf } from '../../src/demo/people.ts'
import { developmentSecrets } from '../../src/start/secrets.ts'
import { startServices } from '../../src/start/services.ts'

/** Empty databases under a prefix of their own, and the settings of services that use them. */
export function openDemoDatabases() {
  const prefix = `t${randomBytes(5).toString('hex')}`
  const folder = mkdtempSync(join(tmpdir(), 'watchline-demo-'))
  const client = new mongoose.mongo.MongoClient(serverUrl('MONGO_URL'))
  return {
    prefix,
    client,
    database: (service: string) => client.db(`${prefix}-${service}`),
    env: {
      NODE_ENV: 'development',
      CHECK_RESPONSES: 'true',
      LOG_LEVEL: 'warn',
      ...developmentSecrets(folder, {}),
      MONGO_URL: serverUrl('MONGO_URL'),
      DATABASE_PREFIX: prefix,
      PORT: '0',
    },
    close: async () => {
      await dropDatabases(client, prefix)
      await client.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type DemoDatabases = ReturnType<typeof openDemoDatabases>

/** The services on these databases and the real clock, as after `make demo`. */
export async function startDemoServices({ env, database }: DemoDatabases) {
  const log = createLogger('demo-test', 'warn')
  const live = createMemoryLiveStore()
  const bus = createInProcessBus({ consumersOf, log })
  const stops: (() => Promise<void>)[] = []
  const services = await startServices(env, { bus, live, log }, stop => stops.push(stop))
  const signer = createTokenSigner(env.TOKEN_PRIVATE_KEY)

  /** A client of the account at one service. */
  async function signIn(account: string, service: ServiceName) {
    const person = await database('auth')
      .collection<{ _id: string }>('people')
      .findOne({ email: emailOf(account) })
    const now = Date.now()
    const claims = { sub: person!._id, sid: `test-${account}`, ver: 1, authTimeMs: now }
    return apiClient(services.urls[service], signer.sign(claims, now, 3_600))
  }

  return {
    ...services,
    get: async (account: string, service: ServiceName, path: string) => {
      const answer = await (await signIn(account, service)).get(path)
      if (answer.status !== 200) throw new Error(`${path} as ${account}: ${answer.status} ${answer.text}`)
      return answer.json
    },
    stop: async () => {
      for (const stop of stops.reverse()) await stop()
      await bus.close()
    },
  }
}
