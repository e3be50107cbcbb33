/*
 * `make load`: measures the distributed system, with each process by itself on its own MongoDB,
 * RabbitMQ and Redis. Prints tables and writes all figures to .cache/load/. Environment:
 *
 * - ONLY: some of rolling, outage, replicas, isolation
 * - ROUNDS, SECONDS: the number of rounds, and the length of each measurement
 * - SCALE (1): a factor of all rates
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
import { readSettings, type Scenario, type Settings } from './settings.ts'

const size = { teams: 11, trainees: 9 }
const usualSeconds: Record<Scenario, number> = { rolling: 15, outage: 60, replicas: 6, isolation: 6 }
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
    log('— servers: MongoDB, RabbitMQ, Redis')
    const stores = await startStores(folder, log)
    interruption.arm()
    try {
      const run = (async () => {
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
          await runScenarios(world, settings, startedAt)
        } finally {
          await world.stop()
        }
      })()
      const signal = await Promise.race([run, interruption.signal])
      if (signal) exitCode = 130
    } finally {
      await Promise.all(Object.values(stores).map(store => store.stop()))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
} catch (error) {
  const isExpected = error instanceof ProvisionError || error instanceof ConfigError
  console.error(isExpected ? error.message : error)
  exitCode = error instanceof ConfigError ? 2 : 1
}
process.exit(exitCode)

async function runScenarios(
  world: LoadWorld,
  { only, rounds, seconds, scale }: Settings,
  startedAt: Date,
): Promise<void> {
  const figures: Record<string, unknown> = {
    at: startedAt,
    scale,
    people: world.peopleCount,
    machine: describeMachine(),
  }
  /** Each resolves to Markdown tables. */
  const runs: Record<Scenario, (options: { seconds: number; scale: number }) => Promise<string>> = {
    rolling: async options => {
      const rolling = await measureRolling(world, options)
      figures.rolling = rolling
      return rollingTables(rolling)
    },
    outage: async options => {
      const outage = await measureOutage(world, options)
      figures.outage = outage
      return outageTables(outage)
    },
    replicas: async options => {
      const replicas = await measureReplicas(world, { ...options, rounds: rounds ?? usualRounds.replicas })
      figures.replicas = replicas
      return replicasTables(replicas)
    },
    isolation: async options => {
      const isolation = await measureIsolation(world, { ...options, rounds: rounds ?? usualRounds.isolation })
      figures.isolation = isolation
      return isolationTables(isolation)
    },
  }
  const folder = join(cacheFolder(), 'load')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${startedAt.toISOString().replaceAll(':', '-').slice(0, 19)}.json`)
  for (const scenario of only) {
    const scenarioStart = performance.now()
    const tables = await runs[scenario]({ seconds: seconds ?? usualSeconds[scenario], scale })
    console.log(`## ${scenario}\n\n${tables}\n`)
    // After each scenario, so that a failure of a later one loses nothing.
    writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`)
    log(`— ${scenario} took ${((performance.now() - scenarioStart) / 1_000).toFixed(0)} s`)
  }
  log(`— all figures: ${file}`)
}
