import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@watchline/kit/core/free-port'
import { serverUrl } from '@watchline/testing/harness'
import mongoose from 'mongoose'
import { projectRoot } from '../../src/provision/paths.ts'
import { openBalancer } from '../../src/up/balancer.ts'
import { startDistributed } from '../../src/up/system.ts'
import type { PrivateData } from './_traffic.ts'

/** MongoDB behind a balancer that can inject faults, a folder, and a minimal web build. */
export async function openTestStores() {
  const name = `t${randomBytes(5).toString('hex')}`
  const folder = mkdtempSync(join(tmpdir(), 'watchline-observed-'))
  const webRoot = join(folder, 'web')
  mkdirSync(webRoot)
  writeFileSync(join(webRoot, 'index.html'), '<!doctype html><title>Watchline</title>')
  const mongo = await openBalancer({ targets: [new URL(serverUrl('MONGO_URL')).host] })
  const client = new mongoose.mongo.MongoClient(serverUrl('MONGO_URL'))
  return {
    name,
    folder,
    mongo,
    env: {
      DATABASE_PREFIX: name,
      LOG_LEVEL: 'debug',
      WEB_ROOT: webRoot,
      AMQP_EXCHANGE: name,
      REDIS_PREFIX: `${name}:`,
      NODE_ENV: 'development',
      CHECK_RESPONSES: 'true',
    },
    mongoUrl: `mongodb://${mongo.address}/?directConnection=true`,
    database: (service: string) => client.db(`${name}-${service}`),
    close: async () => {
      await mongo.close()
      const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true })
      for (const database of databases)
        if (database.name.startsWith(`${name}-`)) await client.db(database.name).dropDatabase()
      await client.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export type TestStores = Awaited<ReturnType<typeof openTestStores>>

/** Gateway and five services as separate processes on real servers. */
export async function startProcesses(env: NodeJS.ProcessEnv = {}, existingStores?: TestStores, port = 0) {
  const testStores = existingStores ?? (await openTestStores())
  const amqpUrl = serverUrl('AMQP_URL')
  const system = await startDistributed({
    dataDir: testStores.folder,
    port,
    stores: { mongoUrl: testStores.mongoUrl, amqpUrl, redisUrl: serverUrl('REDIS_URL') },
    replicas: { gateway: 1, engagement: 1, chat: 1 },
    env: { ...testStores.env, ...env },
    drainMs: 0,
    log: () => {},
  })
  return {
    ...testStores,
    ...system,
    amqpUrl,
    /** All log lines of all processes. */
    logs: () => {
      const logs = join(testStores.folder, 'up', 'logs')
      return readdirSync(logs).flatMap(file => linesOf(readFileSync(join(logs, file), 'utf8')))
    },
    /** Stops the processes. The servers and their data stay. */
    stop: system.stop,
    close: async () => {
      await system.stop()
      await removeExchange(amqpUrl, testStores.name)
      await testStores.close()
    },
  }
}

/** `make start`, as a process. */
export async function startAllInOneProcess(extraEnv: NodeJS.ProcessEnv = {}) {
  const testStores = await openTestStores()
  const port = await freePort()
  const env = {
    ...process.env,
    ...testStores.env,
    MONGO_URL: testStores.mongoUrl,
    PORT: String(port),
    DATA_DIR: testStores.folder,
  }
  const child = spawn(process.execPath, [join(projectRoot, 'tools/src/start/main.ts')], {
    env: { ...env, NODE_OPTIONS: '', ...extraEnv },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errorOutput = ''
  child.stderr.on('data', chunk => {
    errorOutput += chunk
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', chunk => {
      output += chunk
      if (output.includes('Watchline is ready')) resolve()
    })
    child.once('exit', () => reject(new Error(`make start ended: ${errorOutput}${output}`)))
  })
  return {
    ...testStores,
    url: `http://localhost:${port}`,
    logs: () => linesOf(output),
    /** Its messages for people, on stderr. */
    errors: () => errorOutput,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** The private data that the text contains, with their surroundings. */
export function findPrivateData(text: string, { names, emails, texts, passwords, tokens }: PrivateData): string[] {
  return [...names, ...emails, ...texts, ...passwords, ...tokens].flatMap(value => {
    const index = text.indexOf(value)
    return index < 0 ? [] : [`${value}: …${text.slice(Math.max(0, index - 200), index + value.length + 50)}…`]
  })
}

function linesOf(text: string): string[] {
  return text.split('\n').filter(line => line !== '')
}

async function removeExchange(amqpUrl: string, exchange: string) {
  const { connect } = await import('amqplib')
  const { defaultRetryDelaysMs } = await import('@watchline/kit/messaging/rabbitmq/rabbitmq-bus')
  const { removeTopology, topologyOf } = await import('@watchline/kit/messaging/rabbitmq/topology')
  const connection = await connect(amqpUrl)
  const groups = ['auth', 'playback-session', 'engagement', 'notification', 'chat']
  await removeTopology(await connection.createChannel(), topologyOf(exchange), groups, defaultRetryDelaysMs.length)
  await connection.close()
}
