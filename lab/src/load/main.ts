// `make load`: figures of the distributed system, each process by itself on MongoDB, RabbitMQ and Redis of its own. Prints tables,
// keeps all figures in .cache/load/. ONLY (rolling, outage, replicas, isolation), ROUNDS, SECONDS and SCALE (of all rates) come from the environment.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '@watchline/kit/process/config'
import { cacheFolder, projectRoot } from '../../../tools/src/provision/paths.ts'
import { ProvisionError } from '../../../tools/src/provision/types.ts'
import { watchForInterruption } from '../../../tools/src/start/interruption.ts'
import { machineNow } from '../shared/meter.ts'
import { startStores } from '../shared/stores.ts'
import { isolationTables, measureIsolation } from './isolation.ts'
import { createLoadWorld, type LoadWorld } from './load-world.ts'
import { measureOutage, outageTables } from './outage.ts'
import { measureReplicas, replicasTables } from './replicas.ts'
import { measureRolling, rollingTables } from './rolling.ts'
import { readSettings, type Scenario, type Settings } from './settings.ts'

const size = { teams: 11, trainees: 9 }
const usualSeconds: Record<Scenario, number> = { rolling: 15, outage: 60, replicas: 6, isolation: 6 }
const usualRounds = { replicas: 2, isolation: 3 }

const say = (line: string) => console.error(line)
process.chdir(projectRoot)
const interruption = watchForInterruption()
let exitCode = 0
try {
  const settings = readSettings(process.env)
  const begun = new Date()
  const folder = mkdtempSync(join(tmpdir(), 'watchline-load-'))
  try {
    say('— servers: MongoDB, RabbitMQ, Redis')
    const stores = await startStores(folder, say)
    interruption.arm()
    try {
      const measuring = (async () => {
        const world = await createLoadWorld({
          folder,
          prefix: 'load',
          size,
          log: say,
          stores: {
            mongoUrl: stores.mongodb.directUrl,
            redisUrl: stores.redis.directUrl,
            broker: {
              url: stores.rabbitmq.directUrl,
              goAway: () => stores.rabbitmq.kill(),
              comeBack: () => stores.rabbitmq.start(),
            },
          },
        })
        try {
          await measure(world, settings, begun)
        } finally {
          await world.stop()
        }
      })()
      const signal = await Promise.race([measuring, interruption.signal])
      if (signal) exitCode = 130
    } finally {
      await Promise.all(Object.values(stores).map(store => store.stop()))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
} catch (error) {
  const known = error instanceof ProvisionError || error instanceof ConfigError
  console.error(known ? error.message : error)
  exitCode = error instanceof ConfigError ? 2 : 1
}
process.exit(exitCode)

async function measure(world: LoadWorld, { only, rounds, seconds, scale }: Settings, begun: Date) {
  const figures: Record<string, unknown> = {
    at: begun,
    scale,
    people: world.people,
    machine: machineNow(),
  }
  const run: Record<Scenario, (lasting: number) => Promise<string>> = {
    rolling: async lasting => {
      const found = await measureRolling(world, { seconds: lasting, scale })
      figures.rolling = found
      return rollingTables(found)
    },
    outage: async lasting => {
      const found = await measureOutage(world, { seconds: lasting, scale })
      figures.outage = found
      return outageTables(found)
    },
    replicas: async lasting => {
      const found = await measureReplicas(world, { seconds: lasting, rounds: rounds ?? usualRounds.replicas, scale })
      figures.replicas = found
      return replicasTables(found)
    },
    isolation: async lasting => {
      const found = await measureIsolation(world, { seconds: lasting, rounds: rounds ?? usualRounds.isolation, scale })
      figures.isolation = found
      return isolationTables(found)
    },
  }
  const cache = join(cacheFolder(), 'load')
  mkdirSync(cache, { recursive: true })
  const file = join(cache, `${begun.toISOString().replaceAll(':', '-').slice(0, 19)}.json`)
  for (const scenario of only) {
    const started = performance.now()
    const tables = await run[scenario](seconds ?? usualSeconds[scenario])
    console.log(`## ${scenario}\n\n${tables}\n`)
    // Kept after each, so that what was measured is not lost with what comes after it.
    writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`)
    say(`— ${scenario} took ${((performance.now() - started) / 1_000).toFixed(0)} s`)
  }
  say(`— all figures: ${file}`)
}
