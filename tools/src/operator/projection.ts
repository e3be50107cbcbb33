// `npm run projection -- rebuild <service> [name]`: rebuilds what a service keeps of other services' data from its owners, while all
// replicas serve. It writes the request into the service's database, where the replicas look for it; one takes it up, and goes on
// with what a dead one left. So it needs no open port, only the database: MONGO_URL and DATABASE_PREFIX, else a running `make up`, else
// the instance that runs on DATA_DIR. Ending this command does not end the rebuilding; the same command again shows how far it is.
import { join } from 'node:path'
import { events } from '@watchline/contracts/events'
import { projectionsOf, type Rebuild, requestRebuild } from '@watchline/kit/messaging/projection-rebuild'
import { createDatabase, openDatabase } from '@watchline/kit/mongo/database'
import { baseVariables, ConfigError, readConfig } from '@watchline/kit/process/config'
import type { Connection } from 'mongoose'
import { runningMongo } from '../provision/mongo.ts'
import { projectRoot } from '../provision/paths.ts'
import { dataFolder, runningSystem } from './running-system.ts'

const services: readonly string[] = [...new Set(Object.values(events).flatMap(each => each.consumers))]
const usage = `usage: npm run projection -- rebuild <service> [name]
services: ${services.join(', ')}; name: one of the service's projections, all of them when left out`

const lookMs = 500
const patienceMs = 15_000

const [command, service = '', name, ...rest] = process.argv.slice(2)
if (command !== 'rebuild' || !services.includes(service) || rest.length > 0) {
  console.error(usage)
  process.exit(2)
}
process.chdir(projectRoot)

try {
  const connection = createDatabase()
  const { mongoUrl, prefix } = await findDatabase()
  await openDatabase(connection, mongoUrl, `${prefix}-${service}`)
  try {
    for (const each of await chosen(connection)) {
      const begun = await requestRebuild(connection, each, new Date())
      console.log(`${each}: ${begun ? 'asked for' : 'is being rebuilt already'}`)
    }
    for (const each of await chosen(connection)) await follow(connection, each)
  } finally {
    await connection.close()
  }
  process.exit(0)
} catch (error) {
  console.error(isPlain(error) ? (error as Error).message : error)
  process.exit(1)
}

async function findDatabase(): Promise<{ mongoUrl: string; prefix: string }> {
  const dataDir = dataFolder(process.env)
  const system = runningSystem(process.env, 'MONGO_URL')
  const url = system ? undefined : await runningMongo(join(dataDir, 'mongo'))
  if (!system && !url)
    throw new ConfigError(
      `Nothing runs on ${dataDir}. Set MONGO_URL (and DATABASE_PREFIX) as the services have them, or DATA_DIR to the folder of an instance that runs.`,
    )
  const { mongoUrl, databasePrefix } = baseVariables
  const env = system ? system.env : { ...process.env, MONGO_URL: url }
  const config = readConfig(env, { mongoUrl, databasePrefix })
  return { mongoUrl: config.mongoUrl, prefix: config.databasePrefix }
}

async function chosen(connection: Connection): Promise<string[]> {
  const known = (await projectionsOf(connection)).map(each => each._id)
  if (known.length === 0) throw new ConfigError(`${service} keeps no projections in this database: has it ever run?`)
  if (name !== undefined && !known.includes(name))
    throw new ConfigError(`${service} has no projection "${name}", but ${known.join(', ')}`)
  return name === undefined ? known : [name]
}

/** Prints how far it is until it is done. */
async function follow(connection: Connection, projection: string): Promise<void> {
  let said = ''
  let waitedSince: number | undefined = Date.now()
  for (;;) {
    const rebuild = (await projectionsOf(connection)).find(each => each._id === projection)?.rebuild
    if (!rebuild) return
    const words = wordsFor(rebuild)
    if (words !== said) console.log(`${projection}: ${words}`)
    said = words
    if (rebuild.state === 'done') return
    if (rebuild.state === 'running') waitedSince = undefined
    if (waitedSince !== undefined && Date.now() - waitedSince > patienceMs) {
      console.error(`${projection}: nobody has taken it up yet; is ${service} running, in this version?`)
      waitedSince = undefined
    }
    await new Promise(resolve => setTimeout(resolve, lookMs))
  }
}

function wordsFor({ state, checked, added, put_right, removed, problem, started_at, finished_at }: Rebuild): string {
  if (state === 'requested') return 'waiting for a replica to take it up'
  const counts = `${checked} checked, ${added} added, ${put_right} put right, ${removed} removed`
  if (state === 'done') {
    const took = ((finished_at?.getTime() ?? 0) - (started_at?.getTime() ?? 0)) / 1_000
    return `done in ${took.toFixed(1)} s: ${counts}`
  }
  return problem ? `${counts}; goes on later: ${problem}` : counts
}

/** The database cannot be reached: its own words will do. */
function isPlain(error: unknown): boolean {
  return error instanceof ConfigError || /^Mongo.*Selection/.test((error as Error).name)
}
