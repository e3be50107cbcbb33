import { type ChildProcess, spawn } from 'node:child_process'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { ServiceName } from '@watchline/contracts/operation'
import { eventually, serverUrl, type TestWorld } from './test-harness.ts'

const projectRoot = fileURLToPath(new URL('../../..', import.meta.url))

/** A service as operations start it: a process of its own. */
export interface ServiceProcess {
  /** The same after every start. */
  url: string
  /** Resolves when it is ready. */
  start(): Promise<void>
  /** Ends it as a power cut would. */
  kill(): Promise<void>
  stop(): Promise<void>
}

/** On real MongoDB, RabbitMQ and Redis, in the names of the world; `env` says where the other services are. */
export async function startServiceProcess(
  service: ServiceName,
  { config }: Pick<TestWorld, 'config'>,
  env: Record<string, string>,
): Promise<ServiceProcess> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess

  async function start() {
    const { NODE_OPTIONS: _jestsOwn, ...environment } = process.env
    const settings = {
      NODE_ENV: 'test',
      LOG_LEVEL: 'silent',
      PORT: String(port),
      MONGO_URL: serverUrl('MONGO_URL'),
      AMQP_URL: serverUrl('AMQP_URL'),
      REDIS_URL: serverUrl('REDIS_URL'),
      DATABASE_PREFIX: config.databasePrefix,
      AMQP_EXCHANGE: config.amqpExchange,
      REDIS_PREFIX: config.redisPrefix,
      TOKEN_PUBLIC_KEY: config.tokenPublicKey,
      INTERNAL_SECRET: config.internalSecret,
      ...env,
    }
    child = spawn(process.execPath, ['dev/src/service.ts', service], {
      cwd: projectRoot,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...environment, ...settings },
    })
    try {
      await eventually(async () => (await fetch(`${url}/readyz`)).ok, 30_000)
    } catch (error) {
      await endProcess(child, 'SIGKILL')
      throw error
    }
  }

  await start()
  return { url, start, kill: () => endProcess(child, 'SIGKILL'), stop: () => endProcess(child, 'SIGTERM') }
}

/** Resolves when it has ended; at once for one that has. */
async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise(resolve => child.once('exit', resolve))
  child.kill(signal)
  await ended
}

/** Free now; nothing keeps it free. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
