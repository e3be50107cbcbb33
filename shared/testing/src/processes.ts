import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { ServiceName } from '@watchline/contracts/operation'
import { freePort } from '@watchline/kit/core/free-port'
import { eventually, serverUrl, type TestWorld, testRecordKey } from './harness.ts'

const projectRoot = fileURLToPath(new URL('../../..', import.meta.url))

/** A service in its own process, as in production. */
export interface ServiceProcess {
  /** Does not change with a restart. */
  url: string
  /** Resolves when it is ready. */
  start(): Promise<void>
  /** Ends it at once, by SIGKILL. */
  kill(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts a service on real MongoDB, RabbitMQ and Redis, with the names of the world. `env` has the
 * addresses of the other services.
 */
export async function startServiceProcess(
  service: ServiceName,
  { config }: Pick<TestWorld, 'config'>,
  env: Record<string, string>,
): Promise<ServiceProcess> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess

  async function start() {
    child = spawnNode(['tools/src/start/service.ts', service], ['ignore', 'ignore', 'inherit'], {
      NODE_ENV: 'test',
      CHECK_RESPONSES: 'true',
      LOG_LEVEL: 'silent',
      PORT: String(port),
      MONGO_URL: serverUrl('MONGO_URL'),
      AMQP_URL: serverUrl('AMQP_URL'),
      REDIS_URL: serverUrl('REDIS_URL'),
      DATABASE_PREFIX: config.databasePrefix,
      AMQP_EXCHANGE: config.amqpExchange,
      REDIS_PREFIX: config.redisPrefix,
      TOKEN_PUBLIC_KEY: config.tokenPublicKey,
      RECORD_PRIVATE_KEY: testRecordKey(),
      INTERNAL_PRIVATE_KEY: config.internalPrivateKey,
      INTERNAL_PUBLIC_KEYS: config.internalPublicKeys,
      ...env,
    })
    try {
      await eventually(async () => (await fetch(`${url}/readyz`)).ok)
    } catch (error) {
      await endProcess(child, 'SIGKILL')
      throw error
    }
  }

  await start()
  return { url, start, kill: () => endProcess(child, 'SIGKILL'), stop: () => endProcess(child, 'SIGTERM') }
}

/**
 * Starts a program of the project with the environment of this process and `env`. With `ownGroup`
 * it leads a process group, so that it can be ended together with its child processes.
 */
export function spawnNode(
  args: readonly string[],
  stdio: ('ignore' | 'inherit' | 'pipe')[],
  env: NodeJS.ProcessEnv,
  { ownGroup = false } = {},
): ChildProcess {
  const { NODE_OPTIONS: _jestsOwn, ...environment } = process.env
  const options = { cwd: projectRoot, stdio, env: { ...environment, ...env }, detached: ownGroup }
  return spawn(process.execPath, args, options)
}

/** Resolves when Watchline says that it is ready. `child` has pipes for both outputs. */
export async function waitUntilReady(child: ChildProcess): Promise<void> {
  let output = ''
  await new Promise<void>((resolve, reject) => {
    const readOutput = (chunk: Buffer) => {
      output = (output + chunk).slice(-8_000)
      if (output.includes('Watchline is ready')) resolve()
    }
    child.stdout!.on('data', readOutput)
    child.stderr!.on('data', readOutput)
    child.once('exit', code => reject(new Error(`Watchline ended with ${code} before it was ready:\n${output}`)))
  })
}

/** Resolves when the process has ended. */
export async function endProcess(
  child: ChildProcess,
  signal: NodeJS.Signals,
  { wholeGroup = false } = {},
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise(resolve => child.once('exit', resolve))
  if (wholeGroup) process.kill(-child.pid!, signal)
  else child.kill(signal)
  await ended
}
