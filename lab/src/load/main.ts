/*
 * `make load`: measures the distributed system, with each process by itself on its own MongoDB,
 * RabbitMQ and Redis. Prints tables and writes all figures to .cache/load/. Environment:
 *
 * - ONLY: some of rolling, outage, replicas, isolation, trainees
 * - ROUNDS, SECONDS: the number of rounds, and the length of each measurement
 * - SCALE (1): a factor of all rates
 * - STEPS, SYSTEMS, TOGETHER: for `trainees`, the numbers of trainees; `start`, `up` or both; and
 *   how many people start together
 * - PEOPLE, RECORDS (0): for `trainees`, people and tasks that are stored before the product starts
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '@watchline/kit/process/config'
import { cacheFolder, projectRoot } from '../../../tools/src/provision/paths.ts'
import { ProvisionError } from '../../../tools/src/provision/types.ts'
import { watchForInterruption } from '../../../tools/src/start/interruption.ts'
import { describeMachine } from '../shared/meter.ts'
import { startStores } from '../shared/stores.ts'
import { createLoadWorld, type LoadWorld } from './load-world.ts'
import { isolationTables, measureIsolation } from './scenarios/isolation.ts'
import { measureOutage, outageTables } from './scenarios/outage.ts'
import { replicasTables } from './scenarios/replica-tables.ts'
import { measureReplicas } from './scenarios/replicas.ts'
import { measureRolling, rollingTables } from './scenarios/rolling.ts'
import { measureTrainees } from './scenarios/trainees.ts'
import { traineesTables } from './scenarios/trainees-tables.ts'
import { readSettings, type Scenario, type Settings } from './settings.ts'

type SharedScenario = Exclude<Scenario, 'trainees'>

const size = { teams: 11, trainees: 9 }
const usualSeconds: Record<Scenario, number> = { rolling: 15, outage: 60, replicas: 6, isolation: 6, trainees: 30 }
const usualRounds = { replicas: 2, isolation: 3 }

const log = (line: string) => console.error(line)
process.chdir(projectRoot)
const interruption = watchForInterruption()
let exitCode = 0
try {
  const settings = readSettings(process.env)
  const startedAt = new Date()
  const folder = mkdtempSync(join(tmpdir(), 'watchline-load-'))
  try {
    interruption.arm()
    const report = createReport(startedAt)
    const run = (async () => {
      const shared = settings.only.filter(scenario => scenario !== 'trainees')
      if (shared.length > 0) await runOnSharedSystem(folder, shared, settings, report)
      if (settings.only.includes('trainees'))
        await report.add('trainees', async figures => {
          const { steps, systems: kinds, together, seconds = usualSeconds.trainees } = settings
          const { storedPeople: people, storedRecords: records } = settings
          const stored = people > 0 ? { people, records } : undefined
          const trainees = await measureTrainees({ folder, kinds, steps, seconds, together, stored, log })
          figures.trainees = trainees
          return traineesTables(trainees)
        })
    })()
    const signal = await Promise.race([run, interruption.signal])
    if (signal) exitCode = 130
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
} catch (error) {
  const isExpected = error instanceof ProvisionError || error instanceof ConfigError
  console.error(isExpected ? error.message : error)
  exitCode = error instanceof ConfigError ? 2 : 1
}
process.exit(exitCode)

type Figures = Record<string, unknown>

interface Report {
  /** `measure` adds its figures and resolves to Markdown tables. */
  add(scenario: Scenario, measure: (figures: Figures) => Promise<string>): Promise<void>
}

/** Prints the tables of each scenario, and writes all figures to a file. */
function createReport(startedAt: Date): Report {
  const figures: Figures = { at: startedAt, machine: describeMachine() }
  const folder = join(cacheFolder(), 'load')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${startedAt.toISOString().replaceAll(':', '-').slice(0, 19)}.json`)
  return {
    add: async (scenario, measure) => {
      const scenarioStart = performance.now()
      const tables = await measure(figures)
      console.log(`## ${scenario}\n\n${tables}\n`)
      // After each scenario, so that a failure of a later one loses nothing.
      writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`)
      log(`— ${scenario} took ${((performance.now() - scenarioStart) / 1_000).toFixed(0)} s; figures: ${file}`)
    },
  }
}

/** Runs the scenarios that share one distributed system and its people. */
async function runOnSharedSystem(
  folder: string,
  scenarios: readonly SharedScenario[],
  settings: Settings,
  report: Report,
): Promise<void> {
  log('— servers: MongoDB, RabbitMQ, Redis')
  const stores = await startStores(folder, log)
  try {
    const world = await createLoadWorld({
      folder,
      prefix: 'load',
      size,
      log,
      stores: {
        mongoUrl: stores.mongodb.directUrl,
        redisUrl: stores.redis.directUrl,
        broker: {
          url: stores.rabbitmq.directUrl,
          stop: () => stores.rabbitmq.kill(),
          restart: () => stores.rabbitmq.start(),
        },
      },
    })
    try {
      for (const scenario of scenarios)
        await report.add(scenario, figures => measureScenario(world, scenario, settings, figures))
    } finally {
      await world.stop()
    }
  } finally {
    await Promise.all(Object.values(stores).map(store => store.stop()))
  }
}

async function measureScenario(
  world: LoadWorld,
  scenario: SharedScenario,
  { rounds, scale, seconds = usualSeconds[scenario] }: Settings,
  figures: Figures,
): Promise<string> {
  const options = { seconds, scale }
  Object.assign(figures, { scale, people: world.peopleCount })
  switch (scenario) {
    case 'rolling': {
      const rolling = await measureRolling(world, options)
      figures.rolling = rolling
      return rollingTables(rolling)
    }
    case 'outage': {
      const outage = await measureOutage(world, options)
      figures.outage = outage
      return outageTables(outage)
    }
    case 'replicas': {
      const replicas = await measureReplicas(world, { ...options, rounds: rounds ?? usualRounds.replicas })
      figures.replicas = replicas
      return replicasTables(replicas)
    }
    case 'isolation': {
      const isolation = await measureIsolation(world, { ...options, rounds: rounds ?? usualRounds.isolation })
      figures.isolation = isolation
      return isolationTables(isolation)
    }
  }
}
