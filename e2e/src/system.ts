import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@watchline/kit/core/free-port'
import { dropDatabases, serverUrl } from '@watchline/testing/harness'
import { endProcess, spawnNode } from '@watchline/testing/processes'
import mongoose from 'mongoose'

/** The product, running as its users run it. */
export interface System {
  url: string
  /** Ends it as a power cut would. */
  kill(): Promise<void>
  /** Starts it again with the same data, on the same port. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export interface StartOptions {
  demo?: boolean
  env?: NodeJS.ProcessEnv
}

/**
 * Starts Watchline as `make start` does (with `demo` as `make demo`), in a process of its own, with data of its own on the test's
 * MongoDB; with SYSTEM=up as `make up` does, as gateway and services on the tests' RabbitMQ and Redis too. With BASE_URL set, the
 * demo organisation there is used; what needs an empty installation or settings of its own is started as with SYSTEM=up.
 */
export async function startSystem(options: StartOptions = {}): Promise<System> {
  const { BASE_URL: given, SYSTEM: kind } = process.env
  if (given && options.demo) {
    const nothing = async () => {}
    return { url: given, kill: nothing, restart: nothing, stop: nothing }
  }
  const distributed = Boolean(given) || kind === 'up'
  const dataDir = mkdtempSync(join(tmpdir(), 'watchline-e2e-'))
  const prefix = `e2e${randomBytes(5).toString('hex')}`
  const port = await freePort()
  let child: ChildProcess

  async function start() {
    const args = distributed
      ? ['tools/src/up/daemon.ts']
      : ['tools/src/start/main.ts', ...(options.demo ? ['--demo'] : [])]
    const env = {
      NODE_ENV: 'development',
      PORT: String(port),
      DATA_DIR: dataDir,
      DATABASE_PREFIX: prefix,
      AMQP_EXCHANGE: prefix,
      REDIS_PREFIX: `${prefix}:`,
      DEMO: String(options.demo ?? false),
      DRAIN_MS: '0',
      ...options.env,
    }
    child = spawnNode(args, ['ignore', 'pipe', 'pipe'], env, { ownGroup: distributed })
    let output = ''
    await new Promise<void>((resolve, reject) => {
      const hear = (chunk: Buffer) => {
        output = (output + chunk).slice(-8_000)
        if (output.includes('Watchline is ready')) resolve()
      }
      child.stdout!.on('data', hear)
      child.stderr!.on('data', hear)
      child.once('exit', code => reject(new Error(`Watchline ended with ${code} before it was ready:\n${output}`)))
    })
  }

  await start()
  return {
    url: `http://localhost:${port}`,
    kill: () => endProcess(child, 'SIGKILL', { wholeGroup: distributed }),
    restart: start,
    stop: async () => {
      await endProcess(child, 'SIGTERM')
      rmSync(dataDir, { recursive: true, force: true })
      const client = new mongoose.mongo.MongoClient(serverUrl('MONGO_URL'))
      await dropDatabases(client, prefix)
      await client.close()
    },
  }
}
