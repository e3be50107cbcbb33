/*
 * `make faults`: injects faults into the distributed system under a load of every operation, and
 * checks that nothing is lost. Prints a table, writes all counts and the client log to
 * .cache/faults/, and exits with 1 after a violation. Environment:
 *
 * - CYCLES (20), SEED: the number of cycles; the same seed gives the same faults in the same order
 * - ONLY: words of targets or kinds, separated by commas: broker, chat, killed, half-open …
 * - MAILS: runs another experiment instead: so many reminders by mail, while the mail server, the
 *   broker and the notification service are killed again and again
 * - BROKEN=publish-and-forget: runs a build that must fail
 * - KEEP=1: keeps the servers' data and the processes' logs
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cacheFolder, projectRoot } from '../../../tools/src/provision/paths.ts'
import { ProvisionError } from '../../../tools/src/provision/types.ts'
import { watchForInterruption } from '../../../tools/src/start/interruption.ts'
import { describeMachine } from '../shared/meter.ts'
import { formatMailFigures, runMailFaults } from './mails/run.ts'
import { formatSummary, formatTable } from './report.ts'
import { runFaults } from './run.ts'

const brokenBuilds: Record<string, string> = {
  'publish-and-forget': new URL('publish-and-forget.ts', import.meta.url).href,
}

const readNumber = (name: string, fallback: number, max: number) => {
  const value = Number(process.env[name] || fallback)
  if (Number.isInteger(value) && value >= 1 && value <= max) return value
  console.error(`${name}: "${process.env[name]}" was given, accepted is a whole number from 1 to ${max}`)
  process.exit(2)
}
const cycles = readNumber('CYCLES', 20, 10_000)
const seed = readNumber('SEED', 1 + Math.floor(Math.random() * 1e9), 2 ** 32 - 1)
const only = (process.env.ONLY ?? '')
  .split(',')
  .map(word => word.trim())
  .filter(Boolean)
const broken = process.env.BROKEN || undefined
if (broken !== undefined && !brokenBuilds[broken]) {
  console.error(`BROKEN: "${broken}" was given, accepted is ${Object.keys(brokenBuilds).join(', ')}`)
  process.exit(2)
}

const log = (line: string) => console.error(line)
process.chdir(projectRoot)
const startedAt = new Date()
const results = join(cacheFolder(), 'faults')
mkdirSync(results, { recursive: true })
const name = startedAt.toISOString().replaceAll(':', '-').slice(0, 19)
const folder = mkdtempSync(join(tmpdir(), 'watchline-faults-'))
const interruption = watchForInterruption()
interruption.arm()
let interrupted = false
void interruption.signal.then(() => {
  interrupted = true
  log('— interrupted: ending after this cycle')
})

let exitCode = 0
try {
  if (process.env.MAILS) {
    const figures = await runMailFaults({
      folder,
      mails: readNumber('MAILS', 10_000, 100_000),
      seed,
      isInterrupted: () => interrupted,
      log,
    })
    writeFileSync(join(results, `${name}-mails.json`), `${JSON.stringify(figures, null, 2)}\n`)
    console.log(formatMailFigures(figures))
    if (figures.violations.length > 0) exitCode = 1
  } else {
    const machine = describeMachine()
    const figures = await runFaults({
      folder,
      cycles,
      seed,
      only,
      ...(broken && { preload: brokenBuilds[broken]! }),
      callLogFile: join(results, `${name}.log`),
      isInterrupted: () => interrupted,
      log,
    })
    writeFileSync(
      join(results, `${name}.json`),
      `${JSON.stringify({ at: startedAt, machine, broken, only, ...figures }, null, 2)}\n`,
    )
    console.log(formatTable(figures))
    console.log(formatSummary(figures))
    log(`— all counts: ${join(results, `${name}.json`)}, the client log: ${join(results, `${name}.log`)}`)
    if (figures.violations.length > 0) exitCode = 1
  }
} catch (error) {
  console.error(error instanceof ProvisionError ? error.message : error)
  exitCode = 1
} finally {
  if (process.env.KEEP === '1') log(`— data and logs: ${folder}`)
  else rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
process.exit(interrupted ? 130 : exitCode)
