// `npm run projection -- rebuild <service> [name]`
// Rebuilds a service's projections of other services' data while all replicas serve. The command
// writes a request into the service's database. One replica executes it. If it dies, another one
// continues. The database is that of MONGO_URL and DATABASE_PREFIX, else of a running `make up`,
// else of the running instance in DATA_DIR. Ending the command does not end the rebuild. Repeating
// it shows the progress.

import { join } from 'node:path'
import { listPersonSnapshots } from '@watchline/contracts/internal-operations'
import { projectionsOf, type Rebuild, requestRebuild } from '@watchline/kit/messaging/projection-rebuild'
import { createDatabase, openDatabase } from '@watchline/kit/mongo/database'
import { baseVariables, ConfigError, readConfig } from '@watchline/kit/process/config'
import type { Connection } from 'mongoose'
import { runningMongo } from '../provision/mongo.ts'
import { projectRoot } from '../provision/paths.ts'
import { describeFailure } from './describe-failure.ts'
import { dataFolder, runningSystem } from './running-system.ts'

// A service with projections has at least that of the people.
const services: readonly string[] = listPersonSnapshots.callers
const usage = `usage: npm run projection -- rebuild <service> [name]
services: ${services.join(', ')}; name: one of the service's projections; default all`

const pollMs = 500
const pickUpLimitMs = 15_000

const [command, service = '', name, ...extra] = process.argv.slice(2)
if (command !== 'rebuild' || !services.includes(service) || extra.length > 0) {
  console.error(usage)
  process.exit(2)
}
process.chdir(projectRoot)

try {
  const connection = createDatabase()
  const { mongoUrl, prefix } = await findDatabase()
  await openDatabase(connection, mongoUrl, `${prefix}-${service}`)
  try {
    const projections = await chosenProjections(connection)
    for (const projection of projections) {
      const requested = await requestRebuild(connection, projection, new Date())
      console.log(`${projection}: ${requested ? 'rebuild requested' : 'is being rebuilt already'}`)
    }
    for (const projection of projections) await printProgress(connection, projection)
  } finally {
    await connection.close()
  }
  process.exit(0)
} catch (error) {
  console.error(isDatabaseUnreachable(error) ? error.message : describeFailure(error, [ConfigError]))
  process.exit(1)
}

async function findDatabase(): Promise<{ mongoUrl: string; prefix: string }> {
  const dataDir = dataFolder(process.env)
  const system = runningSystem(process.env, 'MONGO_URL')
  const url = system ? undefined : await runningMongo(join(dataDir, 'mongo'))
  if (!system && !url)
    throw new ConfigError(
      `No instance runs on ${dataDir}. Set MONGO_URL (and DATABASE_PREFIX) as for the services, or DATA_DIR to the folder of a running instance.`,
    )
  const { mongoUrl, databasePrefix } = baseVariables
  const env = system ? system.env : { ...process.env, MONGO_URL: url }
  const config = readConfig(env, { mongoUrl, databasePrefix })
  return { mongoUrl: config.mongoUrl, prefix: config.databasePrefix }
}

async function chosenProjections(connection: Connection): Promise<string[]> {
  const names = (await projectionsOf(connection)).map(projection => projection._id)
  if (names.length === 0) throw new ConfigError(`${service} has no projections in this database. Has it ever run?`)
  if (name !== undefined && !names.includes(name))
    throw new ConfigError(`${service} has no projection "${name}". It has ${names.join(', ')}.`)
  return name === undefined ? names : [name]
}

/** Prints the progress until the rebuild is done. */
async function printProgress(connection: Connection, projection: string): Promise<void> {
  let printed = ''
  let waitedSince: number | undefined = Date.now()
  for (;;) {
    const rebuild = (await projectionsOf(connection)).find(({ _id }) => _id === projection)?.rebuild
    if (!rebuild) return
    const progress = describeProgress(rebuild)
    if (progress !== printed) console.log(`${projection}: ${progress}`)
    printed = progress
    if (rebuild.state === 'done') return
    if (rebuild.state === 'running') waitedSince = undefined
    if (waitedSince !== undefined && Date.now() - waitedSince > pickUpLimitMs) {
      console.error(`${projection}: no replica has started it yet. Is ${service} running, in this version?`)
      waitedSince = undefined
    }
    await new Promise(resolve => setTimeout(resolve, pollMs))
  }
}

function describeProgress({
  state,
  checked,
  added,
  put_right,
  removed,
  problem,
  started_at,
  finished_at,
}: Rebuild): string {
  if (state === 'requested') return 'waiting for a replica'
  const counts = `${checked} checked, ${added} added, ${put_right} corrected, ${removed} removed`
  if (state === 'done') {
    const seconds = ((finished_at?.getTime() ?? 0) - (started_at?.getTime() ?? 0)) / 1_000
    return `done in ${seconds.toFixed(1)} s: ${counts}`
  }
  return problem ? `${counts}; continues later: ${problem}` : counts
}

/** The driver's message is enough then. */
function isDatabaseUnreachable(error: unknown): error is Error {
  return error instanceof Error && /^Mongo.*Selection/.test(error.name)
}
