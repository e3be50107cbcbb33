import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import mongoose from 'mongoose'

const projectRoot = fileURLToPath(new URL('../..', import.meta.url))

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
    const { NODE_OPTIONS: _jestsOwn, ...environment } = process.env
    child = spawn(process.execPath, args, {
      cwd: projectRoot,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...environment,
        NODE_ENV: 'development',
        PORT: String(port),
        DATA_DIR: dataDir,
        DATABASE_PREFIX: prefix,
        ...options.env,
      },
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

  async function end(signal: NodeJS.Signals) {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise(resolve => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }

  await start()
  return {
    url: `http://localhost:${port}`,
    kill: () => end('SIGKILL'),
    restart: start,
    stop: async () => {
      await end('SIGTERM')
      rmSync(dataDir, { recursive: true, force: true })
      await dropDatabases(prefix)
    },
  }
}

async function dropDatabases(prefix: string) {
  const client = new mongoose.mongo.MongoClient(process.env.MONGO_URL!)
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true })
  for (const { name } of databases) if (name.startsWith(`${prefix}-`)) await client.db(name).dropDatabase()
  await client.close()
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
