import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@watchline/kit/core/free-port'
import { serverUrl } from '@watchline/testing/harness'
import { endProcess, spawnNode, waitUntilReady } from '@watchline/testing/processes'
import { dropDatabases } from '@watchline/testing/test-databases'
import mongoose from 'mongoose'

/** The product as operators run it. */
export interface System {
  url: string
  /** Ends all processes at once, like a power cut. */
  kill(): Promise<void>
  /** Starts it again with the same data on the same port. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export interface StartOptions {
  demo?: boolean
  env?: NodeJS.ProcessEnv
}

/**
 * Starts Watchline with its own data on the tests' servers.
 *
 * - Usually in one process, as `make start` does, or `make demo` with `demo`.
 * - With SYSTEM=up: as gateway and services, as `make up` does.
 * - With BASE_URL: journeys with `demo` use the running demo at this address. Others need an empty
 *   installation or their own settings, so it starts them as with SYSTEM=up.
 */
export async function startSystem(options: StartOptions = {}): Promise<System> {
  const { BASE_URL: baseUrl, SYSTEM: kind } = process.env
  if (baseUrl && options.demo) {
    const doNothing = async () => {}
    return { url: baseUrl, kill: doNothing, restart: doNothing, stop: doNothing }
  }
  const distributed = Boolean(baseUrl) || kind === 'up'
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
      CHECK_RESPONSES: 'true',
      PORT: String(port),
      DATA_DIR: dataDir,
      DATABASE_PREFIX: prefix,
      AMQP_EXCHANGE: prefix,
      REDIS_PREFIX: `${prefix}:`,
      DEMO: String(options.demo ?? false),
      // Journeys count unread and waiting things, so their people start without a past.
      DEMO_HISTORY: 'false',
      DRAIN_MS: '0',
      ...options.env,
    }
    child = spawnNode(args, ['ignore', 'pipe', 'pipe'], env, { ownGroup: distributed })
    await waitUntilReady(child)
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
