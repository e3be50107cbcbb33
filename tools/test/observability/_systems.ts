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
import type { Private } from './_traffic.ts'

/** MongoDB behind an address that can be cut off, a folder, and a web build that is hardly one; undone in reverse. */
export async function openGround() {
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
    },
    mongoUrl: `mongodb://${mongo.address}/?directConnection=true`,
    database: (service: string) => client.db(`${name}-${service}`),
    close: async () => {
      await mongo.close()
      const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true })
      for (const each of databases) if (each.name.startsWith(`${name}-`)) await client.db(each.name).dropDatabase()
      await client.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export type Ground = Awaited<ReturnType<typeof openGround>>

/** Gateway and five services as processes of their own, on real servers. */
export async function startProcesses(env: NodeJS.ProcessEnv = {}, given?: Ground, port = 0) {
  const ground = given ?? (await openGround())
  const amqpUrl = serverUrl('AMQP_URL')
  const system = await startDistributed({
    dataDir: ground.folder,
    port,
    stores: { mongoUrl: ground.mongoUrl, amqpUrl, redisUrl: serverUrl('REDIS_URL') },
    replicas: { gateway: 1, engagement: 1, chat: 1 },
    env: { ...ground.env, ...env },
    drainMs: 0,
    log: () => {},
  })
  return {
    ...ground,
    ...system,
    amqpUrl,
    /** All lines of all processes. */
    logs: () => {
      const logs = join(ground.folder, 'up', 'logs')
      return readdirSync(logs).flatMap(file => linesOf(readFileSync(join(logs, file), 'utf8')))
    },
    /** The servers and what they hold stay as they are. */
    stop: system.stop,
    close: async () => {
      await system.stop()
      await removeExchange(amqpUrl, ground.name)
      await ground.close()
    },
  }
}

/** `make start`, as a process. */
export async function startAllInOneProcess(given: NodeJS.ProcessEnv = {}) {
  const ground = await openGround()
  const port = await freePort()
  const env = { ...process.env, ...ground.env, MONGO_URL: ground.mongoUrl, PORT: String(port), DATA_DIR: ground.folder }
  const child = spawn(process.execPath, [join(projectRoot, 'tools/src/start/main.ts')], {
    env: { ...env, NODE_OPTIONS: '', ...given },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let words = ''
  child.stderr.on('data', chunk => {
    words += chunk
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', chunk => {
      output += chunk
      if (output.includes('Watchline is ready')) resolve()
    })
    child.once('exit', () => reject(new Error(`make start ended: ${words}${output}`)))
  })
  return {
    ...ground,
    url: `http://localhost:${port}`,
    logs: () => linesOf(output),
    /** What it says to people, on stderr. */
    errors: () => words,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** What of that stands in the text, where in it as well. */
export function foundIn(text: string, { names, emails, texts, passwords, tokens }: Private): string[] {
  return [...names, ...emails, ...texts, ...passwords, ...tokens].flatMap(each => {
    const at = text.indexOf(each)
    return at < 0 ? [] : [`${each}: …${text.slice(Math.max(0, at - 200), at + each.length + 50)}…`]
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
