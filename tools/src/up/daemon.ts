// The daemon of `make up`: starts the stores and every service, and supervises them until it is stopped.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { provisionMongo } from '../provision/mongo.ts'
import { cacheFolder, projectRoot } from '../provision/paths.ts'
import { provisionRabbit } from '../provision/rabbit.ts'
import { provisionRedis } from '../provision/redis.ts'
import type { Provisioned } from '../provision/types.ts'
import { watchForInterruption } from '../start/interruption.ts'
import { ensureWebBuild } from '../start/web-build.ts'
import { takeCommands } from './control.ts'
import { readSettings } from './settings.ts'
import { type Distributed, startDistributed } from './system.ts'

const { dataDir: folder, demo, port, replicas, drainMs } = readSettings(process.env)
const dataDir = resolve(folder)
const upDir = join(dataDir, 'up')
const envFile = join(upDir, 'env.json')
const interruption = watchForInterruption()
const undo: (() => Promise<void> | void)[] = []

/** Writes to the log, and to the starting command while that listens. */
function say(line: string) {
  console.log(`${new Date().toISOString()} ${line}`)
  if (process.connected) process.send!({ line })
}

async function stop() {
  for (const step of undo.splice(0).reverse()) await step()
}

async function bring(server: Promise<Provisioned>): Promise<string> {
  const { url, stop } = await server
  undo.push(stop)
  return url
}

async function seed(system: Distributed) {
  const child = spawn(process.execPath, [fileURLToPath(new URL('seed.ts', import.meta.url))], {
    cwd: projectRoot,
    env: system.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout.setEncoding('utf8').on('data', text => say(text.trim()))
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error('the demo organisation could not be brought in')
}

try {
  mkdirSync(upDir, { recursive: true })
  const where = (name: string) => ({ dataDir: join(dataDir, name), cacheDir: cacheFolder(), log: say })
  const [mongoUrl, amqpUrl, redisUrl, webRoot] = await Promise.all([
    bring(provisionMongo(where('mongo'))),
    bring(provisionRabbit(where('rabbitmq'))),
    bring(provisionRedis(where('redis'))),
    process.env.WEB_ROOT || ensureWebBuild({ log: say }),
  ])
  const system = await startDistributed({
    dataDir,
    port,
    stores: { mongoUrl, amqpUrl, redisUrl },
    replicas,
    drainMs,
    env: {
      ...process.env,
      WEB_ROOT: webRoot,
      ...(demo && !process.env.MEDIA_ROOT && { MEDIA_ROOT: join(projectRoot, 'tools/clips') }),
    },
    log: say,
  })
  undo.push(system.stop)
  if (demo) await seed(system)
  // Commands that work on this system need the addresses of its stores and its secrets.
  writeFileSync(envFile, `${JSON.stringify({ ...system.env, WATCHLINE_URL: system.url }, null, 2)}\n`, { mode: 0o600 })
  undo.push(() => rmSync(envFile, { force: true }))
  let told: () => void = () => {}
  const down = new Promise<void>(resolve => {
    told = resolve
  })
  const control = await takeCommands(dataDir, system, told)
  undo.push(control.close)
  interruption.arm()
  if (process.connected) {
    process.send!({ ready: system.url })
    process.disconnect()
  }
  say(`Watchline is ready at ${system.url}`)
  await Promise.race([down, interruption.signal])
  say('stopping')
  await stop()
  process.exit(0)
} catch (error) {
  console.error(error)
  if (process.connected) process.send!({ failed: (error as Error).message })
  await stop().catch(() => {})
  process.exit(1)
}
