import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { createTokenSigner } from '@watchline/identity/tokens'
import { freePort } from '@watchline/kit/core/free-port'
import { startOwnerServices } from '@watchline/testing/owners'
import type mongoose from 'mongoose'
import { startGuarded } from '../../../tools/src/provision/guard.ts'
import { provisionMongo } from '../../../tools/src/provision/mongo.ts'
import { cacheFolder, projectRoot } from '../../../tools/src/provision/paths.ts'
import { provisionRabbit } from '../../../tools/src/provision/rabbit.ts'
import { provisionRedis } from '../../../tools/src/provision/redis.ts'
import type { Log, Provisioned } from '../../../tools/src/provision/types.ts'
import { accepts, exchange, until } from '../../../tools/src/provision/wait.ts'
import { developmentSecrets, type Secrets } from '../../../tools/src/start/secrets.ts'
import type { Call } from '../shared/load-generator.ts'
import { listProcesses, readMongodPid } from '../shared/processes.ts'
import { type World as BaseWorld, createWorld as createBaseWorld, openDatabases } from '../shared/world.ts'

/** A process that is measured. */
export interface BenchProcess {
  url: string
  pid: number
}

/** Real servers, people whom the stand-in for auth knows, and processes to measure. */
export interface BenchWorld extends BaseWorld {
  /** Databases are named `<prefix>-<service>`. */
  prefix: string
  client: mongoose.mongo.MongoClient
  amqpUrl: string
  redisUrl: string
  /** The processes of MongoDB and Redis, which run on this machine. */
  serverPids: Record<string, number>
  /** Adds a person to the stand-in for auth. */
  addPerson(role: PersonSnapshot['role'], fields?: Partial<PersonSnapshot>): PersonSnapshot
  /** An access token, valid for an hour. */
  signToken(person: PersonSnapshot): string
  /** `processName` distinguishes several processes of one service. */
  startService(service: string, env?: Record<string, string>, processName?: string): Promise<BenchProcess>
  /** The settings with which `startService` starts a service, except PORT. */
  settingsOf(service: string): Record<string, string>
  /** A program of the lab, which listens on PORT. */
  startProgram(name: string, file: string, env: Record<string, string>): Promise<BenchProcess>
  startReference(): Promise<BenchProcess>
}

export function createBenchWorld(log: Log): Promise<BenchWorld> {
  return createBaseWorld(base => setUp(base, log))
}

async function setUp(base: BaseWorld, log: Log): Promise<Omit<BenchWorld, keyof BaseWorld>> {
  const folder = mkdtempSync(join(tmpdir(), 'watchline-bench-'))
  base.onStop(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const provision = async (started: Promise<Provisioned>) => {
    const server = await started
    base.onStop(() => server.stop())
    return server.url
  }
  const options = (name: string) => ({ dataDir: join(folder, name), cacheDir: cacheFolder(), log })
  const results = await Promise.allSettled([
    provision(provisionMongo({ ...options('mongo'), withoutPassword: true })),
    provision(provisionRabbit(options('rabbitmq'))),
    provision(provisionRedis(options('redis'))),
  ])
  const [mongoUrl, amqpUrl, redisUrl] = results.map(result => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  }) as [string, string, string]

  const prefix = `bench${process.pid}`
  const { client } = await openDatabases(base, { url: mongoUrl, prefix, dropAtStop: true })

  const owners = await startOwnerServices()
  base.onStop(owners.close)
  const secrets = developmentSecrets(folder, {})
  const signer = createTokenSigner(secrets.TOKEN_PRIVATE_KEY)

  const commonSettings = {
    HOST: '127.0.0.1',
    MONGO_URL: mongoUrl,
    TOKEN_PUBLIC_KEY: secrets.TOKEN_PUBLIC_KEY,
    NODE_ENV: 'production',
  }
  const settingsOf = (service: string): Record<string, string> => ({
    ...commonSettings,
    LOG_LEVEL: 'warn',
    DATABASE_PREFIX: prefix,
    AMQP_URL: amqpUrl,
    AMQP_EXCHANGE: prefix,
    REDIS_URL: redisUrl,
    REDIS_PREFIX: `${prefix}:`,
    INTERNAL_PRIVATE_KEY: secrets.INTERNAL_PRIVATE_KEY,
    INTERNAL_PUBLIC_KEYS: secrets.INTERNAL_PUBLIC_KEYS,
    RECORD_PRIVATE_KEY: secrets.RECORD_PRIVATE_KEY,
    CSRF_SECRET: secrets.CSRF_SECRET,
    MEDIA_SECRET: secrets.MEDIA_SECRET,
    AUTH_URL: owners.url,
    PLAYBACK_SESSION_URL: owners.url,
    ...(service === 'auth' && authEnv(secrets)),
  })

  /** `readyPath`: answers 200 when the process is ready. Without it, a listening port suffices. */
  async function startProcess(
    name: string,
    args: string[],
    env: Record<string, string>,
    readyPath?: string,
  ): Promise<BenchProcess> {
    const port = await freePort()
    const logFolder = join(folder, name)
    mkdirSync(logFolder, { recursive: true })
    const guarded = startGuarded({
      command: process.execPath,
      args: [...profilingArguments(), ...args],
      cwd: projectRoot,
      env: { ...env, ...commonSettings, PORT: String(port) },
      logFile: join(logFolder, 'output.log'),
    })
    base.onStop(() => guarded.stop())
    const url = `http://127.0.0.1:${port}`
    const isReady = async () => (readyPath ? (await fetch(url + readyPath)).ok : accepts(port))
    await until(isReady, {
      condition: `${name} starts`,
      limitMs: 5 * 60_000,
      stopReason: () => guarded.endReason() && `${guarded.endReason()}\n${guarded.lastLines()}`,
    })
    return { url, pid: findNodeChild(guarded.pid) }
  }

  return {
    prefix,
    client,
    amqpUrl,
    redisUrl,
    serverPids: {
      mongod: requireLocalProcess(await readMongodPid(client), 'mongod'),
      redis: requireLocalProcess(await readRedisPid(redisUrl), 'redis'),
    },
    addPerson: owners.addPerson,
    signToken: person =>
      signer.sign(
        { sub: person.id, sid: `sid-${person.id}`, ver: person.version, authTimeMs: Date.now() },
        Date.now(),
        3600,
      ),
    settingsOf,
    startService: (service, env = {}, processName = service) =>
      startProcess(processName, ['tools/src/start/service.ts', service], { ...settingsOf(service), ...env }, '/readyz'),
    startProgram: (name, file, env) => startProcess(name, [file], env),
    startReference: () =>
      startProcess('reference', ['lab/src/bench/reference.ts'], { DATABASE: `${prefix}-reference` }),
  }
}

/** In production auth must have a sign-in provider, although nobody signs in here. */
function authEnv({ TOKEN_PRIVATE_KEY, REFRESH_SECRET, COOKIE_SECRET }: Secrets): Record<string, string> {
  const provider = { OIDC_ISSUER: 'https://sign-in.example.org', OIDC_CLIENT_ID: 'watchline' }
  return { TOKEN_PRIVATE_KEY, REFRESH_SECRET, COOKIE_SECRET, ...provider }
}

async function readRedisPid(url: string): Promise<number> {
  const info = (await exchange(Number(new URL(url).port), Buffer.from('INFO server\r\n'))).toString()
  return Number(/process_id:(\d+)/.exec(info)?.[1])
}

/**
 * Returns the pid. /proc has the CPU time of this machine's processes only. It cannot measure a
 * server on another machine, or in a container with its own process ids.
 */
function requireLocalProcess(pid: number, name: string): number {
  let command = ''
  try {
    command = readFileSync(`/proc/${pid}/comm`, 'utf8')
  } catch {
    // No such process, or no /proc.
  }
  if (!command.includes(name))
    throw new Error(`${name} does not run as a process of this machine: its CPU time cannot be read`)
  return pid
}

/**
 * With PROFILE=1 each process writes a CPU profile beside the figures when it ends. Profiling slows
 * it down, so the figures of such a run are not comparable.
 */
function profilingArguments(): string[] {
  return process.env.PROFILE === '1' ? ['--cpu-prof', `--cpu-prof-dir=${join(cacheFolder(), 'bench')}`] : []
}

/** The Node process that a guard started, not the shell that guards it. */
function findNodeChild(guardPid: number): number {
  const child = listProcesses().find(({ pid, parentPid }) => parentPid === guardPid && isNodeProcess(pid))
  if (!child) throw new Error(`the guard ${guardPid} has no Node process`)
  return child.pid
}

function isNodeProcess(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(process.execPath)
  } catch {
    // The process has ended in between.
    return false
  }
}

/** Makes one call and returns the JSON of its answer. Rejects unless the status is 2xx. */
export async function callService(url: string, { method, path, token, body }: Call) {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return JSON.parse(text || 'null')
}
