// `make faults`: the distributed system on servers of its own, under a load of every operation, broken again and again. Prints a
// table, keeps all counts and the client log in .cache/faults/, and ends with 1 if any promise was broken. CYCLES (default 20),
// SEED, ONLY (words of targets or kinds, with commas: broker, chat, killed, half-open …) and BROKEN=publish-and-forget come from
// the environment. KEEP=1 leaves the servers' data and the processes' logs where they are.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cacheFolder, projectRoot } from '../../../tools/src/provision/paths.ts'
import { ProvisionError } from '../../../tools/src/provision/types.ts'
import { watchForInterruption } from '../../../tools/src/start/interruption.ts'
import { describeMachine } from '../shared/meter.ts'
import { summaryOf, tableOf } from './report.ts'
import { runFaults } from './run.ts'

const builds: Record<string, string> = {
  'publish-and-forget': new URL('publish-and-forget.ts', import.meta.url).href,
}

const number = (name: string, otherwise: number, most: number) => {
  const value = Number(process.env[name] || otherwise)
  if (Number.isInteger(value) && value >= 1 && value <= most) return value
  console.error(`${name}: "${process.env[name]}" was given, accepted is a whole number from 1 to ${most}`)
  process.exit(2)
}
const cycles = number('CYCLES', 20, 10_000)
const seed = number('SEED', 1 + Math.floor(Math.random() * 1e9), 2 ** 32 - 1)
const only = (process.env.ONLY ?? '')
  .split(',')
  .map(word => word.trim())
  .filter(Boolean)
const broken = process.env.BROKEN || undefined
if (broken !== undefined && !builds[broken]) {
  console.error(`BROKEN: "${broken}" was given, accepted is ${Object.keys(builds).join(', ')}`)
  process.exit(2)
}

const say = (line: string) => console.error(line)
process.chdir(projectRoot)
const begun = new Date()
const results = join(cacheFolder(), 'faults')
mkdirSync(results, { recursive: true })
const name = begun.toISOString().replaceAll(':', '-').slice(0, 19)
const folder = mkdtempSync(join(tmpdir(), 'watchline-faults-'))
const interruption = watchForInterruption()
interruption.arm()
let interrupted = false
void interruption.signal.then(() => {
  interrupted = true
  say('— interrupted: this cycle is the last')
})

let exitCode = 0
try {
  const machine = describeMachine()
  const figures = await runFaults({
    folder,
    cycles,
    seed,
    only,
    ...(broken && { preload: builds[broken]! }),
    callLogFile: join(results, `${name}.log`),
    isInterrupted: () => interrupted,
    say,
  })
  writeFileSync(
    join(results, `${name}.json`),
    `${JSON.stringify({ at: begun, machine, broken, only, ...figures }, null, 2)}\n`,
  )
  console.log(tableOf(figures))
  console.log(summaryOf(figures))
  say(`— all counts: ${join(results, `${name}.json`)}, the client log: ${join(results, `${name}.log`)}`)
  if (figures.violations.length > 0) exitCode = 1
} catch (error) {
  console.error(error instanceof ProvisionError ? error.message : error)
  exitCode = 1
} finally {
  if (process.env.KEEP === '1') say(`— data and logs: ${folder}`)
  else rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
process.exit(interrupted ? 130 : exitCode)
