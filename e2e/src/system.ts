import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dropDatabases, serverUrl } from '@watchline/kit/test-harness'
import { endProcess, freePort, spawnNode } from '@watchline/kit/test-process'
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
 * Starts Watchline as `make start` does (with `demo` as `make demo`), in a process of its own, with data of its own on the test's MongoDB.
 * With BASE_URL set, the system there is used instead.
 */
export async function startSystem(options: StartOptions = {}): Promise<System> {
  if (process.env.BASE_URL) {
    const nothing = async () => {}
    return { url: process.env.BASE_URL, kill: nothing, restart: nothing, stop: nothing }
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'watchline-e2e-'))
  const prefix = `e2e${randomBytes(5).toString('hex')}`
  const port = await freePort()
  let child: ChildProcess

  async function start() {
    const args = ['dev/src/start.ts', ...(options.demo ? ['--demo'] : [])]
    child = spawnNode(args, ['ignore', 'pipe', 'pipe'], {
      NODE_ENV: 'development',
      PORT: String(port),
      DATA_DIR: dataDir,
      DATABASE_PREFIX: prefix,
      ...options.env,
    })
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
    kill: () => endProcess(child, 'SIGKILL'),
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
