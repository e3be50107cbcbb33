import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { freePort } from '@watchline/kit/core/free-port'
import { dockerAnswers, dockerRun } from './docker.ts'
import { type Guarded, startGuarded } from './guard.ts'
import { findProgram } from './programs.ts'
import { canInstall, install } from './system-packages.ts'
import { ProvisionError, type Provisioned, type ProvisionOptions, type TlsFiles } from './types.ts'
import { exchange, until } from './wait.ts'

export interface RedisOptions extends ProvisionOptions {
  /** The lines of an ACL file. The user `default` must be allowed to `PING` without a password. */
  users?: string
}

/** Redis without persistence: the live store may lose everything, and starts empty. */
export async function provisionRedis(requested: RedisOptions): Promise<Provisioned> {
  const options = { ...requested, dataDir: resolve(requested.dataDir) }
  const { dataDir, log } = options
  if (process.env.REDIS_URL && !requested.alwaysStart) return { url: process.env.REDIS_URL, stop: async () => {} }
  mkdirSync(dataDir, { recursive: true })
  const port = await freePort(options.port)
  const server = await start(port, options)
  await until(async () => (await exchange(port, Buffer.from('PING\r\n'), options.tls)).includes('PONG'), {
    condition: `Redis answers on port ${port}`,
    limitMs: 5 * 60_000,
    stopReason: () => server.endReason() && `${server.endReason()}\n${server.lastLines()}`,
  }).catch(async error => {
    await server.stop()
    throw error
  })
  log(`Redis on port ${port}`)
  return { url: `${options.tls ? 'rediss' : 'redis'}://127.0.0.1:${port}`, guard: server, stop: () => server.stop() }
}

const tlsSettings = (port: number, { caFile, certFile, keyFile }: TlsFiles) => [
  ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
  ...['--tls-ca-cert-file', caFile, '--tls-cert-file', certFile, '--tls-key-file', keyFile],
]

async function start(port: number, { dataDir, users, tls, log }: RedisOptions): Promise<Guarded> {
  const logFile = join(dataDir, 'redis.log')
  const settings = ['--save', '', '--appendonly', 'no']
  const aclFile = join(dataDir, 'users.acl')
  if (users !== undefined) writeFileSync(aclFile, users)
  const local = (command: string) =>
    startGuarded({
      command,
      args: [
        ...(tls ? tlsSettings(port, tls) : ['--port', String(port)]),
        ...['--bind', '127.0.0.1', '--dir', dataDir, ...settings],
        ...(users === undefined ? [] : ['--aclfile', aclFile]),
      ],
      cwd: dataDir,
      logFile,
    })
  const found = findProgram('redis-server')
  if (found) return local(found)
  if (await dockerAnswers()) {
    log('Redis: starting the container image redis:7')
    const inside = '/etc/watchline-users.acl'
    return dockerRun({
      image: 'redis:7',
      publish: [port, 6379],
      options: users === undefined ? [] : ['--volume', `${aclFile}:${inside}:ro`],
      args: ['redis-server', ...settings, ...(users === undefined ? [] : ['--aclfile', inside])],
      logFile,
    })
  }
  if (await canInstall()) {
    await install('redis-server', log)
    const installed = findProgram('redis-server')
    if (installed) return local(installed)
  }
  throw new ProvisionError(
    'Redis is missing. Install it (Debian: apt-get install redis-server; macOS: brew install redis), start Docker, or set REDIS_URL.',
  )
}
