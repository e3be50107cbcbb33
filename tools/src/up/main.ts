// `make up`, `make down`, `npm run up -- status | roll [service] | scale <service>=<number> …`
// Watchline as gateway and five services in separate processes on RabbitMQ, Redis and MongoDB.
// DATA_DIR selects the system.
import { spawn } from 'node:child_process'
import { mkdirSync, openSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ConfigError } from '@watchline/kit/process/config'
import { projectRoot } from '../provision/paths.ts'
import { until } from '../provision/wait.ts'
import { type Command, type Status, sendCommand } from './control.ts'
import { readCounts, readName, readSettings } from './settings.ts'

process.chdir(projectRoot)
const [verb = 'up', ...args] = process.argv.slice(2)
const usage = 'usage: npm run up -- [up | down | status | roll [service] | scale <service>=<number> …]'

try {
  const { dataDir } = readSettings(process.env)
  await run(resolve(dataDir))
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : `Watchline: ${(error as Error).message}`)
  process.exit(1)
}

async function run(dataDir: string) {
  const sendToRunning = (command: Command) =>
    sendCommand(dataDir, command).then(status => {
      if (!status) throw new Error(`no system is running on ${dataDir}. Start it with \`make up\`.`)
      return status
    })
  if (verb === 'up') await up(dataDir)
  else if (verb === 'down') await down(dataDir)
  else if (verb === 'status') print(await sendToRunning({ do: 'status' }))
  else if (verb === 'roll') {
    const name = readName(args[0])
    print(await sendToRunning({ do: 'roll', ...(name && { name }) }))
  } else if (verb === 'scale') print(await sendToRunning({ do: 'scale', counts: readCounts(args) }))
  else {
    console.error(usage)
    process.exitCode = 2
  }
}

async function up(dataDir: string) {
  const runningStatus = await sendCommand(dataDir, { do: 'status' })
  if (runningStatus) return print(runningStatus)
  const logs = join(dataDir, 'up', 'logs')
  mkdirSync(logs, { recursive: true })
  const output = openSync(join(logs, 'up.log'), 'a', 0o600)
  const daemon = spawn(process.execPath, [fileURLToPath(new URL('daemon.ts', import.meta.url))], {
    detached: true,
    stdio: ['ignore', output, output, 'ipc'],
  })
  // Until the system is ready, Ctrl-C here stops what has started.
  const onInterrupt = () => void daemon.kill('SIGTERM')
  process.on('SIGINT', onInterrupt)
  await new Promise<void>((resolve, reject) => {
    daemon.on('message', (message: { line?: string; ready?: string; failed?: string }) => {
      if (message.line) console.error(`  ${message.line}`)
      if (message.failed) reject(new Error(message.failed))
      if (message.ready) resolve()
    })
    daemon.once('exit', code =>
      reject(new Error(`the daemon ended with code ${code} before it was ready. Logs: ${logs}`)),
    )
  })
  daemon.unref()
  const status = await sendCommand(dataDir, { do: 'status' })
  if (status) print(status)
  console.log(`Logs: ${logs}`)
  console.log(`Watchline is ready at ${status?.url}`)
  process.exit(0)
}

async function down(dataDir: string) {
  const status = await sendCommand(dataDir, { do: 'down' })
  if (!status) return console.log('Nothing is running.')
  await until(async () => !isAlive(status.pid), {
    condition: 'the system has stopped',
    limitMs: 5 * 60_000,
    everyMs: 200,
  })
  console.log('Watchline has stopped.')
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function print({ url, processes }: Status) {
  for (const { name, pid, ready, restarts, url } of processes) {
    const state = ready ? 'ready' : 'not ready'
    console.log(`${name.padEnd(20)} ${state.padEnd(10)} pid ${String(pid).padEnd(8)} ${url}  restarts ${restarts}`)
  }
  console.log(url)
}
