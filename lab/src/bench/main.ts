// `make bench`: Watchline and a reference build side by side, interleaved, in several rounds. Prints medians, keeps all figures
// in .cache/bench/. ROUNDS (default 3), ONLY (save-progress or track), and one of DASHBOARD=1, LISTS=1, POLLS=1, STREAM=1, CHAT=1
// (with SECONDS, default 10, and ONLY=load, or KILL=<how often a replica is killed under the load>) come from the environment.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder, projectRoot } from '../../../tools/src/provision/paths.ts'
import { ProvisionError } from '../../../tools/src/provision/types.ts'
import { watchForInterruption } from '../../../tools/src/start/interruption.ts'
import { machineNow } from '../shared/meter.ts'
import { createBenchWorld } from './bench-world.ts'
import { type ChatFigures, chatTables, measureChat } from './chat.ts'
import { type DashboardFigures, dashboardTables, measureDashboard } from './dashboard.ts'
import { fullSize, type ListFigures, listTables, measureLists } from './lists.ts'
import { measurePolls, type PollFigures, pollTables } from './polls.ts'
import { measureStream, type StreamFigures, streamTables } from './stream.ts'
import { type Figures, measureWrites, tableOf } from './writes.ts'

const rounds = Number(process.env.ROUNDS || 3)
if (!Number.isInteger(rounds) || rounds < 1 || rounds > 20) {
  console.error(`ROUNDS: "${process.env.ROUNDS}" was given, accepted is a whole number from 1 to 20`)
  process.exit(2)
}
const seconds = Number(process.env.SECONDS || 10)
if (!(seconds >= 1 && seconds <= 3_600)) {
  console.error(`SECONDS: "${process.env.SECONDS}" was given, accepted is a number from 1 to 3600`)
  process.exit(2)
}
const kills = Number(process.env.KILL || 0)
if (!Number.isInteger(kills) || kills < 0 || kills > 100) {
  console.error(`KILL: "${process.env.KILL}" was given, accepted is a whole number from 0 to 100`)
  process.exit(2)
}

const say = (line: string) => console.error(line)
process.chdir(projectRoot)
const interruption = watchForInterruption()
let interrupted = false
void interruption.signal.then(() => {
  interrupted = true
})

let exitCode = 0
try {
  const begun = new Date()
  say('— servers: MongoDB, RabbitMQ, Redis')
  const world = await createBenchWorld(say)
  interruption.arm()
  try {
    const machine = {
      ...machineNow(),
      mongodb: (await world.client.db('admin').command({ buildInfo: 1 })).version,
    }
    const asked = { say, isInterrupted: () => interrupted }
    let figures: Figures | undefined
    let dashboard: DashboardFigures | undefined
    let stream: StreamFigures | undefined
    let polls: PollFigures | undefined
    let lists: ListFigures | undefined
    let chat: ChatFigures | undefined
    if (process.env.CHAT === '1')
      chat = await measureChat(world, { ...asked, rounds, seconds, kills, only: process.env.ONLY })
    else if (process.env.POLLS === '1') polls = await measurePolls(world, { ...asked, rounds })
    else if (process.env.STREAM === '1') stream = await measureStream(world, asked)
    else if (process.env.DASHBOARD === '1') dashboard = await measureDashboard(world, asked)
    else if (process.env.LISTS === '1') lists = await measureLists(world, asked, { ...fullSize, rounds })
    else figures = await measureWrites(world, { ...asked, rounds, only: process.env.ONLY })
    const folder = join(cacheFolder(), 'bench')
    mkdirSync(folder, { recursive: true })
    const file = join(folder, `${begun.toISOString().replaceAll(':', '-').slice(0, 19)}.json`)
    const all = { at: begun, machine, rounds, ...figures, dashboard, lists, stream, polls, chat }
    writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`)
    if (figures) console.log(tableOf(figures))
    if (dashboard) console.log(dashboardTables(dashboard))
    if (lists) console.log(listTables(lists))
    if (polls) console.log(pollTables(polls))
    if (chat) console.log(chatTables(chat))
    if (stream) console.log(streamTables(stream))
    say(`— all figures: ${file}`)
  } finally {
    await world.stop()
  }
} catch (error) {
  console.error(error instanceof ProvisionError ? error.message : error)
  exitCode = 1
}
process.exit(interrupted ? 130 : exitCode)
