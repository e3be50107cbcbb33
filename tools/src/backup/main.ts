// `npm run backup -- create <new folder> | check <folder> | restore <folder> [--replace]`: all databases at one instant. Which system:
// MONGO_URL (and for a restore AMQP_URL and REDIS_URL), else a running `make up`, else the instance in DATA_DIR.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { baseVariables, ConfigError, readConfig } from '@watchline/kit/process/config'
import { dataFolder, runningSystem } from '../operator/running-system.ts'
import { provisionMongo, runningMongo } from '../provision/mongo.ts'
import { cacheFolder, projectRoot } from '../provision/paths.ts'
import { ProvisionError, type Provisioned } from '../provision/types.ts'
import { createBackup } from './create.ts'
import { BackupError } from './manifest.ts'
import { checkBackup, restoreBackup } from './restore.ts'

const usage = `usage: npm run backup -- create <new folder>             all databases as they are at one instant, while everything runs
       npm run backup -- check <folder>                  reads all of a backup and compares it with its manifest
       npm run backup -- restore <folder> [--replace]    brings all databases to that instant; every service must be stopped`

const [command = '', named = '', ...rest] = process.argv.slice(2)
const replace = rest.length === 1 && rest[0] === '--replace'
if (
  !['create', 'check', 'restore'].includes(command) ||
  !named ||
  (rest.length > 0 && !(replace && command === 'restore'))
) {
  console.error(usage)
  process.exit(2)
}
const { mongoUrl, databasePrefix, amqpUrl, amqpExchange, redisUrl, redisPrefix } = baseVariables
/** npm runs this in the project's folder, whoever calls it from wherever. */
const given = resolve(process.env.INIT_CWD ?? '.', named)
const log = (line: string) => console.error(`  ${line}`)
process.chdir(projectRoot)

try {
  if (command === 'check') tell('is whole', await checkBackup(given))
  else {
    const system = await reach()
    try {
      if (command === 'create') tell('is written', await createBackup({ ...system, folder: given, log }))
      else tell('is restored', await restoreBackup(given, { ...system, replace, log }))
    } finally {
      await system.stop()
    }
  }
  process.exit(0)
} catch (error) {
  const isPlain = [BackupError, ConfigError, ProvisionError].some(kind => error instanceof kind)
  console.error(isPlain ? (error as Error).message : error)
  process.exit(1)
}

function tell(what: string, { at, version }: { at: string; version: string }) {
  console.log(`The backup ${given} ${what}: everything as of ${at}, by version ${version}.`)
}

async function reach() {
  const found = runningSystem(process.env, 'MONGO_URL')
  if (!found) {
    const mongo = await ownMongo()
    return { ...readConfig(process.env, { databasePrefix }), mongoUrl: mongo.url, stop: mongo.stop }
  }
  const read = readConfig(found.env, { mongoUrl, databasePrefix, amqpUrl, amqpExchange, redisUrl, redisPrefix })
  return {
    mongoUrl: read.mongoUrl,
    databasePrefix: read.databasePrefix,
    ...(read.amqpUrl && { amqp: { url: read.amqpUrl, exchange: read.amqpExchange } }),
    ...(read.redisUrl && { redis: { url: read.redisUrl, prefix: read.redisPrefix } }),
    stop: async () => {},
  }
}

/** That of the data folder: the one that runs, or one that is started for as long as this takes. */
async function ownMongo(): Promise<Provisioned> {
  const dataDir = join(dataFolder(process.env), 'mongo')
  if (command === 'create' && !existsSync(join(dataDir, 'watchline-port')))
    throw new BackupError(`There are no data in ${dataFolder(process.env)}. Set DATA_DIR, or MONGO_URL.`)
  const running = await runningMongo(dataDir)
  if (running && command === 'restore') throw new BackupError('Watchline still runs. Stop it, then restore.')
  return running ? { url: running, stop: async () => {} } : provisionMongo({ dataDir, cacheDir: cacheFolder(), log })
}
