import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@watchline/kit/core/free-port'
import mongoose from 'mongoose'
import { dockerAnswers, dockerRun } from './docker.ts'
import { type Guarded, startGuarded } from './guard.ts'
import { createUser, keyFileName, readPassword, withPassword } from './mongo-access.ts'
import { findMongod } from './mongod-binary.ts'
import { ProvisionError, type Provisioned, type ProvisionOptions, type TlsFiles } from './types.ts'
import { accepts, until } from './wait.ts'

const replicaSet = 'rs0'

interface MongoOptions extends ProvisionOptions {
  cacheDir: string
  /**
   * Disables TTL indexes. Tests have their own clocks, so MongoDB would delete what they just
   * wrote.
   */
  keepsExpired?: boolean
  /** The interval at which MongoDB removes what has expired, for tests; by default a minute. */
  removeExpiredEveryS?: number
  /**
   * Size of the WiredTiger cache in GB, by default 0.25. If it is too small, MongoDB evicts all the
   * time.
   */
  cacheGb?: number
  /** Anybody on this machine may use it: for tests and experiments only. */
  withoutPassword?: boolean
}

/**
 * MongoDB as a replica set of one, which transactions and change streams need. Data stay in
 * `dataDir`, and so does the password, because other people of this machine reach its port. The
 * first start on a folder creates the user, which takes a second start of MongoDB. Only one
 * instance at a time may use the folder; a second one fails with a clear message.
 */
export async function provisionMongo(requested: MongoOptions): Promise<Provisioned> {
  const options = { ...requested, dataDir: resolve(requested.dataDir) }
  if (process.env.MONGO_URL && !requested.alwaysStart) return { url: process.env.MONGO_URL, stop: async () => {} }
  const { dataDir, log } = options
  mkdirSync(dataDir, { recursive: true })
  const launch = await chooseLauncher(options)
  await waitForPredecessor(dataDir)
  if (!options.withoutPassword && readPassword(dataDir) === undefined) {
    const { server, port } = await startPrimary(options, launch, undefined)
    await createUser(withTls(urlOf(port), options.tls), dataDir).finally(() => server.stop())
  }
  const password = options.withoutPassword ? undefined : readPassword(dataDir)
  const { server, port } = await startPrimary(options, launch, password)
  log(`MongoDB on port ${port}`)
  return { url: withTls(withPassword(urlOf(port), password), options.tls), guard: server, stop: () => server.stop() }
}

/** Starts MongoDB and waits until it is the primary. With a password it has access control. */
async function startPrimary(
  options: MongoOptions,
  launch: Launcher,
  password: string | undefined,
): Promise<{ server: Guarded; port: number }> {
  const { dataDir } = options
  const portFile = join(dataDir, 'watchline-port')
  const deadline = Date.now() + 15_000
  for (;;) {
    // The replica set's stored configuration names the port, so the last port is reused if it is
    // free.
    const port = await freePort(options.port ?? storedPort(portFile))
    const server = launch(port, password !== undefined)
    try {
      await becomePrimary(port, server, password, options.tls)
      writeFileSync(portFile, `${port}\n`)
      return { server, port }
    } catch (error) {
      const logLines = server.lastLines(200)
      await server.stop()
      const isLocked = /DBPathInUse/.test(logLines)
      const isPortTaken = /Address already in use/.test(logLines)
      // A stopping predecessor may need time to flush its data.
      if ((isLocked || isPortTaken) && Date.now() < deadline) {
        await sleep(300)
        continue
      }
      if (isLocked) throw inUse(dataDir)
      throw new ProvisionError(`${(error as Error).message}\n${reasonIn(logLines)}`)
    }
  }
}

/** The URL of the MongoDB that another instance runs on this folder, or undefined. */
export async function runningMongo(dataDir: string): Promise<string | undefined> {
  const folder = resolve(dataDir)
  const port = await runningPort(folder)
  return port === undefined ? undefined : withPassword(urlOf(port), readPassword(folder))
}

const urlOf = (port: number) => `mongodb://127.0.0.1:${port}/?replicaSet=${replicaSet}`

type Launcher = (port: number, hasAccessControl: boolean) => Guarded

/** The driver reads the authority from the file itself, so this process need not trust it. */
function withTls(url: string, tls: TlsFiles | undefined): string {
  return tls ? `${url}&tls=true&tlsCAFile=${encodeURIComponent(tls.caFile)}` : url
}

function tlsSettings(dataDir: string, { caFile, certFile, keyFile }: TlsFiles): string[] {
  const file = join(dataDir, 'watchline-certificate.pem')
  writeFileSync(file, `${readFileSync(certFile, 'utf8')}${readFileSync(keyFile, 'utf8')}`, { mode: 0o600 })
  return [
    ...['--tlsMode', 'requireTLS', '--tlsCertificateKeyFile', file, '--tlsCAFile', caFile],
    '--tlsAllowConnectionsWithoutCertificates',
  ]
}

async function chooseLauncher(options: MongoOptions): Promise<Launcher> {
  const { dataDir, cacheDir, tls, log } = options
  const settings = (port: number, folder: string, hasAccessControl: boolean) => [
    ...(tls ? tlsSettings(dataDir, tls) : []),
    ...settingsOf(port, options),
    ...(hasAccessControl ? ['--keyFile', join(folder, keyFileName)] : []),
  ]
  const logFile = join(dataDir, 'mongod.log')
  const found = await findMongod(cacheDir, log)
  if ('path' in found)
    return (port, hasAccessControl) =>
      startGuarded({
        command: found.path,
        args: ['--bind_ip', '127.0.0.1', '--dbpath', dataDir, ...settings(port, dataDir, hasAccessControl)],
        logFile,
      })
  if (await dockerAnswers()) {
    log('MongoDB: starting the container image mongo:8')
    const user = process.getuid ? ['--user', `${process.getuid()}:${process.getgid?.()}`] : []
    return (port, hasAccessControl) =>
      dockerRun({
        image: 'mongo:8',
        publish: [port, port],
        options: [...user, '--volume', `${dataDir}:/data/db`],
        args: ['--bind_ip_all', ...settings(port, '/data/db', hasAccessControl)],
        logFile,
      })
  }
  throw new ProvisionError(
    [
      'MongoDB is missing and could not be installed:',
      ...found.reasons.map(reason => `  ${reason}`),
      'Install mongod (6.0 or newer) so that it is on PATH, start Docker, or set MONGO_URL to a replica set.',
    ].join('\n'),
  )
}

const settingsOf = (port: number, { cacheGb = 0.25, keepsExpired, removeExpiredEveryS }: MongoOptions) => [
  ...['--port', String(port)],
  ...['--replSet', replicaSet],
  ...['--wiredTigerCacheSizeGB', String(cacheGb)],
  // The share of that cache that one transaction may use. The default is too small to import 10,000
  // people.
  ...['--wiredTigerEngineConfigString', 'eviction_dirty_trigger=50,eviction_updates_trigger=50'],
  ...['--oplogSize', '256'],
  // MongoDB keeps old document versions for this long, by default five minutes. Nothing here reads
  // old snapshots, and a busy document would collect a thousand versions.
  ...['--setParameter', 'minSnapshotHistoryWindowInSeconds=5'],
  '--nounixsocket',
  '--quiet',
  ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
  // How long a stopping primary waits for other members. There are none.
  ...['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
  ...['--setParameter', `ttlMonitorEnabled=${!keepsExpired}`],
  ...(removeExpiredEveryS ? ['--setParameter', `ttlMonitorSleepSecs=${removeExpiredEveryS}`] : []),
]

function storedPort(file: string): number | undefined {
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) || undefined : undefined
}

/**
 * The guard of a process that just died is stopping its instance. An instance that keeps answering
 * is in use.
 */
async function waitForPredecessor(dataDir: string) {
  await until(async () => !(await runningPort(dataDir)), {
    condition: 'the previous instance has stopped',
    limitMs: 3_000,
    everyMs: 100,
  }).catch(() => {
    throw inUse(dataDir)
  })
}

/** mongod empties its lock file when it ends. Another program may use the old port by then. */
async function runningPort(dataDir: string): Promise<number | undefined> {
  const port = storedPort(join(dataDir, 'watchline-port'))
  const lock = join(dataDir, 'mongod.lock')
  const running = port && existsSync(lock) && isAlive(Number(readFileSync(lock, 'utf8'))) && (await accepts(port))
  return running ? port : undefined
}

function isAlive(pid: number): boolean {
  if (!pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const inUse = (dataDir: string) =>
  new ProvisionError(`${dataDir} is in use by another running instance. Stop it, or set DATA_DIR to another folder.`)

/** mongod logs one JSON object per line. The errors among them give the reason. */
function reasonIn(logLines: string): string {
  const lines = logLines.split('\n')
  const errors = lines.filter(line => /"s":"[EF]"/.test(line))
  return (errors.length ? errors : lines).slice(-3).join('\n')
}

async function becomePrimary(port: number, server: Guarded, password: string | undefined, tls: TlsFiles | undefined) {
  const stopReason = () => server.endReason()
  await until(() => accepts(port), {
    condition: `MongoDB accepts connections on port ${port}`,
    limitMs: 5 * 60_000,
    stopReason,
  })
  const url = withTls(withPassword(`mongodb://127.0.0.1:${port}/?directConnection=true`, password), tls)
  const client = new mongoose.mongo.MongoClient(url, { serverSelectionTimeoutMS: 5_000 })
  try {
    const admin = client.db('admin')
    const host = `127.0.0.1:${port}`
    const primary = async () => {
      const hello = await admin.command({ hello: 1 })
      if (hello.me !== host) await configure(admin, host)
      return hello.me === host && hello.isWritablePrimary
    }
    // mongod may close the connection that sent a new configuration.
    await until(primary, { condition: 'MongoDB is the primary', limitMs: 5 * 60_000, everyMs: 25, stopReason })
  } finally {
    await client.close()
  }
}

async function configure(admin: mongoose.mongo.Db, host: string) {
  const status = await admin.command({ replSetGetConfig: 1 }).catch(error => {
    if (error.codeName === 'NotYetInitialized') return undefined
    throw error
  })
  if (!status) {
    await admin.command({ replSetInitiate: { _id: replicaSet, members: [{ _id: 0, host }] } })
  } else if (status.config.members[0].host !== host) {
    // The port has changed, so this member finds itself only in an updated configuration.
    const config = {
      ...status.config,
      version: status.config.version + 1,
      members: [{ ...status.config.members[0], host }],
    }
    await admin.command({ replSetReconfig: config, force: true })
  }
}
