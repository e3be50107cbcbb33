// The daemon of `make up`: starts the stores and every service, and supervises them until it stops.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expectShortLivedObjects } from '@watchline/kit/process/short-lived-objects'
import { seedDemoHistory } from '../demo/history/seed-history.ts'
import { clipFolder } from '../demo/playlists.ts'
import { provisionMongo } from '../provision/mongo.ts'
import { cacheFolder, projectRoot } from '../provision/paths.ts'
import { provisionRabbit } from '../provision/rabbit.ts'
import { provisionRedis } from '../provision/redis.ts'
import type { Provisioned } from '../provision/types.ts'
import { watchForInterruption } from '../start/interruption.ts'
import { developmentSecrets } from '../start/secrets.ts'
import { ensureWebBuild } from '../start/web-build.ts'
import { acceptCommands } from './control.ts'
import { readSettings } from './settings.ts'
import { createStoreUsers } from './store-users.ts'
import { type Distributed, processNames, startDistributed } from './system.ts'

const { dataDir: folder, demo, port, replicas, drainMs } = readSettings(process.env)
const dataDir = resolve(folder)
const upDir = join(dataDir, 'up')
const envFile = join(upDir, 'env.json')
const interruption = watchForInterruption()
expectShortLivedObjects()
const cleanups: (() => Promise<void> | void)[] = []

/** Writes to the log, and to the starting command while it listens. */
function report(line: string) {
  console.log(`${new Date().toISOString()} ${line}`)
  if (process.connected) process.send!({ line })
}

async function stop() {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp()
}

async function urlOfServer(server: Promise<Provisioned>): Promise<string> {
  const { url, stop } = await server
  cleanups.push(stop)
  return url
}

/**
 * The seeding process is a replica of two services, and each has users of its own at the stores.
 */
const asSecond = ({ AMQP_URL, REDIS_URL }: NodeJS.ProcessEnv) => ({
  SECOND_AMQP_URL: AMQP_URL,
  SECOND_REDIS_URL: REDIS_URL,
})

async function seed(system: Distributed) {
  const child = spawn(process.execPath, [fileURLToPath(new URL('seed.ts', import.meta.url))], {
    cwd: projectRoot,
    env: { ...system.envOf('auth'), ...asSecond(system.envOf('playback-session')) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout.setEncoding('utf8').on('data', text => report(text.trim()))
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error('the demo organisation could not be added')
}

try {
  mkdirSync(upDir, { recursive: true })
  const optionsOf = (name: string) => ({ dataDir: join(dataDir, name), cacheDir: cacheFolder(), log: report })
  const users = createStoreUsers(process.env)
  const [mongoUrl, amqpUrl, redisUrl, webRoot] = await Promise.all([
    urlOfServer(provisionMongo(optionsOf('mongo'))),
    urlOfServer(provisionRabbit({ ...optionsOf('rabbitmq'), definitions: users.rabbitDefinitions })),
    urlOfServer(provisionRedis({ ...optionsOf('redis'), users: users.redisAclFile })),
    process.env.WEB_ROOT || ensureWebBuild({ log: report }),
  ])
  if (demo) {
    const env = { LOG_LEVEL: 'warn', ...developmentSecrets(dataDir, process.env), ...process.env, MONGO_URL: mongoUrl }
    await seedDemoHistory({ env: { ...env, HOST: '127.0.0.1', PORT: '0', DRAIN_MS: '0' }, log: report })
  }
  const system = await startDistributed({
    dataDir,
    port,
    stores: { mongoUrl, ...users.addressesOf('operator', { amqpUrl, redisUrl }) },
    envOf: Object.fromEntries(
      processNames.map(name => {
        const own = users.addressesOf(name, { amqpUrl, redisUrl })
        return [name, { AMQP_URL: own.amqpUrl, REDIS_URL: own.redisUrl }]
      }),
    ),
    replicas,
    drainMs,
    env: {
      ...process.env,
      ...users.env,
      WEB_ROOT: webRoot,
      ...(demo && !process.env.MEDIA_ROOT && { MEDIA_ROOT: clipFolder }),
    },
    log: report,
  })
  cleanups.push(system.stop)
  if (demo) await seed(system)
  // Commands that work on this system need the addresses of its stores and its secrets.
  writeFileSync(envFile, `${JSON.stringify({ ...system.env, WATCHLINE_URL: system.url }, null, 2)}\n`, { mode: 0o600 })
  cleanups.push(() => rmSync(envFile, { force: true }))
  const { promise: down, resolve: requestDown } = Promise.withResolvers<void>()
  const control = await acceptCommands(dataDir, system, requestDown)
  cleanups.push(control.close)
  interruption.arm()
  if (process.connected) {
    process.send!({ ready: system.url })
    process.disconnect()
  }
  report(`Watchline is ready at ${system.url}`)
  await Promise.race([down, interruption.signal])
  report('stopping')
  await stop()
  process.exit(0)
} catch (error) {
  console.error(error)
  if (process.connected) process.send!({ failed: (error as Error).message })
  await stop().catch(() => {})
  process.exit(1)
}
