/*
 * `make bench`: measures one service at a time. Prints tables and writes all figures to
 * .cache/bench/. Without an experiment it measures writes, interleaved with a reference build.
 * Environment:
 *
 * - DASHBOARD=1, LISTS=1, TASKS=1, POLLS=1, STREAM=1 or CHAT=1: another experiment
 * - ROUNDS (3): the number of rounds
 * - ONLY=gateway: the gateway beside other proxies
 * - ONLY: save-progress or track for writes, load for chat
 * - RATE (1000): calls a second of the writes' open loop
 * - VIDEOS=1,20,100,500: writes of people who have watched so many videos, without the reference
 * - SECONDS (10), KILL (0): the length of chat's load, and how often a replica is killed during it
 * - PROFILE=1: each process writes a CPU profile beside the figures
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '@watchline/kit/process/config'
import { cacheFolder, projectRoot } from '../../../tools/src/provision/paths.ts'
import { ProvisionError } from '../../../tools/src/provision/types.ts'
import { watchForInterruption } from '../../../tools/src/start/interruption.ts'
import { describeMachine } from '../shared/meter.ts'
import type { BenchOptions } from './bench-options.ts'
import { type BenchWorld, createBenchWorld } from './bench-world.ts'
import { chatTables, measureChat } from './chat/measure-chat.ts'
import { dashboardTables, measureDashboard } from './dashboard/measure-dashboard.ts'
import { gatewayTable, measureGateway } from './gateway/measure-gateway.ts'
import { fullSize, listTables, measureLists } from './lists/measure-lists.ts'
import { measureWrites, writeTable } from './measure-writes.ts'
import { pollTables } from './polls/compare-polls.ts'
import { measurePolls } from './polls/measure-polls.ts'
import { type Experiment, readSettings, type Settings } from './settings.ts'
import { measureStream, streamTables } from './stream/measure-stream.ts'
import { measureTasks, millionTasks, taskTables } from './tasks/measure-tasks.ts'
import { startTaskJobs } from './tasks/start-task-jobs.ts'

interface Result {
  /** Written to the figures' file. */
  figures: object
  /** Markdown. */
  tables: string
}

const log = (line: string) => console.error(line)
process.chdir(projectRoot)
const interruption = watchForInterruption()
let interrupted = false
void interruption.signal.then(() => {
  interrupted = true
})

let exitCode = 0
try {
  const settings = readSettings(process.env)
  const startedAt = new Date()
  log('— servers: MongoDB, RabbitMQ, Redis')
  const world = await createBenchWorld(log)
  interruption.arm()
  try {
    const { version } = await world.client.db('admin').command({ buildInfo: 1 })
    const machine = { ...describeMachine(), mongodb: version }
    const { figures, tables } = await runExperiment(world, settings, { log, isInterrupted: () => interrupted })
    const folder = join(cacheFolder(), 'bench')
    mkdirSync(folder, { recursive: true })
    const file = join(folder, `${startedAt.toISOString().replaceAll(':', '-').slice(0, 19)}.json`)
    const content = { at: startedAt, machine, rounds: settings.rounds, ...figures }
    writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)
    console.log(tables)
    log(`— all figures: ${file}`)
  } finally {
    await world.stop()
  }
} catch (error) {
  const isExpected = error instanceof ProvisionError || error instanceof ConfigError
  console.error(isExpected ? error.message : error)
  exitCode = error instanceof ConfigError ? 2 : 1
}
process.exit(interrupted ? 130 : exitCode)

function runExperiment(world: BenchWorld, settings: Settings, options: BenchOptions): Promise<Result> {
  const experiments: Record<Experiment, () => Promise<Result>> = {
    writes: async () => {
      const writes = await measureWrites(world, { ...options, ...settings })
      return { figures: writes, tables: writeTable(writes) }
    },
    gateway: async () => {
      const gateway = await measureGateway(world, { ...options, rounds: settings.rounds })
      return { figures: { gateway }, tables: gatewayTable(gateway) }
    },
    dashboard: async () => {
      const dashboard = await measureDashboard(world, options)
      return { figures: { dashboard }, tables: dashboardTables(dashboard) }
    },
    lists: async () => {
      const lists = await measureLists(world, options, { ...fullSize, rounds: settings.rounds })
      return { figures: { lists }, tables: listTables(lists) }
    },
    tasks: async () => {
      const tasks = await measureTasks({ ...world, startTaskJobs: () => startTaskJobs(world) }, options, {
        ...millionTasks,
        rounds: settings.rounds,
      })
      return { figures: { tasks }, tables: taskTables(tasks) }
    },
    polls: async () => {
      const polls = await measurePolls(world, { ...options, ...settings })
      return { figures: { polls }, tables: pollTables(polls) }
    },
    stream: async () => {
      const stream = await measureStream(world, options)
      return { figures: { stream }, tables: streamTables(stream) }
    },
    chat: async () => {
      const chat = await measureChat(world, { ...options, ...settings })
      return { figures: { chat }, tables: chatTables(chat) }
    },
  }
  return experiments[settings.experiment]()
}
