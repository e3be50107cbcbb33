import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
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
import { type World as BaseWorld, createWorld as createBaseWorld, openDatabases } from '../shared/world.ts'

export interface Running {
  url: string
  pid: number
}

/** Real servers, people that auth would tell of, and processes to be measured. `stop` ends all of it. */
export interface BenchWorld extends BaseWorld {
  /** Databases are named `<prefix>-<service>`. */
  prefix: string
  client: mongoose.mongo.MongoClient
  amqpUrl: string
  redisUrl: string
  /** Of MongoDB and Redis, when they run on this machine. */
  serverPids: Record<string, number>
  /** Answers as the owners of people, playlists and assignments do, of whom it knows those people. */
  ownersUrl: string
  person(role: PersonSnapshot['role'], fields?: Partial<PersonSnapshot>): PersonSnapshot
  token(person: PersonSnapshot): string
  /** `as`: the name of the process, where there are several of one service. */
  startService(name: string, env?: Record<string, string>, as?: string): Promise<Running>
  startReference(): Promise<Running>
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
  const attempts = await Promise.allSettled([
    provision(provisionMongo(options('mongo'))),
    provision(provisionRabbit(options('rabbitmq'))),
    provision(provisionRedis(options('redis'))),
  ])
  const [mongoUrl, amqpUrl, redisUrl] = attempts.map(attempt => {
    if (attempt.status === 'rejected') throw attempt.reason
    return attempt.value
  }) as [string, string, string]

  const prefix = `bench${process.pid}`
  const { client } = await openDatabases(base, { url: mongoUrl, prefix, dropAtStop: true })

  const owners = await startOwnerServices()
  base.onStop(owners.close)
  const secrets = developmentSecrets(folder, {})
  const signer = createTokenSigner(secrets.TOKEN_PRIVATE_KEY)

  async function start(name: string, args: string[], env: Record<string, string>, ready: string): Promise<Running> {
    const port = await freePort()
    const home = join(folder, name)
    mkdirSync(home, { recursive: true })
    const guarded = startGuarded({
      command: process.execPath,
      args: [...profiling(), ...args],
      cwd: projectRoot,
      env: {
        ...env,
        HOST: '127.0.0.1',
        PORT: String(port),
        MONGO_URL: mongoUrl,
        TOKEN_PUBLIC_KEY: secrets.TOKEN_PUBLIC_KEY,
        NODE_ENV: 'production',
      },
      logFile: join(home, 'output.log'),
    })
    base.onStop(() => guarded.stop())
    const url = `http://127.0.0.1:${port}`
    const isReady = async () => (ready ? (await fetch(url + ready)).ok : accepts(port))
    await until(isReady, {
      condition: `${name} did not start`,
      limitMs: 60_000,
      stopReason: () => guarded.endReason() && `${guarded.endReason()}\n${guarded.lastLines()}`,
    })
    return { url, pid: childOf(guarded.pid) }
  }

  return {
    prefix,
    client,
    amqpUrl,
    redisUrl,
    ownersUrl: owners.url,
    serverPids: { mongod: await mongodPid(client), redis: await redisPid(redisUrl) },
    person: owners.person,
    token: person =>
      signer.sign(
        { sub: person.id, sid: `sid-${person.id}`, ver: person.version, authTimeMs: Date.now() },
        Date.now(),
        3600,
      ),
    startService: (name, env = {}, as = name) =>
      start(
        as,
        ['tools/src/start/service.ts', name],
        {
          LOG_LEVEL: 'warn',
          DATABASE_PREFIX: prefix,
          AMQP_URL: amqpUrl,
          AMQP_EXCHANGE: prefix,
          REDIS_URL: redisUrl,
          REDIS_PREFIX: `${prefix}:`,
          INTERNAL_SECRET: secrets.INTERNAL_SECRET,
          CSRF_SECRET: secrets.CSRF_SECRET,
          AUTH_URL: owners.url,
          PLAYBACK_SESSION_URL: owners.url,
          ...(name === 'auth' && authEnv(secrets)),
          ...env,
        },
        '/readyz',
      ),
    startReference: () => start('reference', ['lab/src/bench/reference.ts'], { DATABASE: `${prefix}-reference` }, ''),
  }
}

/** In production auth must have a provider; nobody signs in here. */
function authEnv({ TOKEN_PRIVATE_KEY, REFRESH_SECRET, COOKIE_SECRET }: Secrets): Record<string, string> {
  const provider = { OIDC_ISSUER: 'https://sign-in.example.org', OIDC_CLIENT_ID: 'watchline' }
  return { TOKEN_PRIVATE_KEY, REFRESH_SECRET, COOKIE_SECRET, ...provider }
}

async function mongodPid(client: mongoose.mongo.MongoClient): Promise<number> {
  const { pid } = await client.db('admin').command({ serverStatus: 1 })
  return localPid(Number(pid), 'mongod')
}

async function redisPid(url: string): Promise<number> {
  const info = (await exchange(Number(new URL(url).port), Buffer.from('INFO server\r\n'))).toString()
  return localPid(Number(/process_id:(\d+)/.exec(info)?.[1]), 'redis')
}

/** CPU is read from /proc: a server elsewhere, or in a container with process ids of its own, cannot be measured. */
function localPid(pid: number, name: string): number {
  let command = ''
  try {
    command = readFileSync(`/proc/${pid}/comm`, 'utf8')
  } catch {
    // no such process, or no /proc
  }
  if (!command.includes(name))
    throw new Error(`${name} does not run as a process of this machine: its CPU time cannot be read`)
  return pid
}

/** With PROFILE=1 each process leaves a CPU profile beside the figures when it ends; its own figures are then worth less. */
function profiling(): string[] {
  return process.env.PROFILE === '1' ? ['--cpu-prof', `--cpu-prof-dir=${join(cacheFolder(), 'bench')}`] : []
}

/** The process that a guard started, not the shell that guards it. */
function childOf(guard: number): number {
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      if (Number(parent) === guard && command.startsWith(process.execPath)) return Number(pid)
    } catch {
      // it has ended meanwhile
    }
  }
  throw new Error(`no process was found under the guard ${guard}`)
}

/** Does something for each of many, some at a time. */
export async function forEachOf<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = [...items].reverse()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let item = rest.pop(); item !== undefined; item = rest.pop()) await work(item)
    }),
  )
}

export async function call(url: string, { method, path, token, body }: Call) {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return JSON.parse(text || 'null')
}

export async function insert(database: mongoose.mongo.Db, collection: string, documents: object[]): Promise<void> {
  if (documents.length > 0)
    await database.collection(collection).insertMany(documents, { ordered: false, writeConcern: { w: 1 } })
}
