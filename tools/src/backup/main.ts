// Backs up and restores all databases at one instant:
// `npm run backup -- create <new folder> | check <folder> | restore <folder>`; a restore takes
// `--replace` and `--unsigned`. The key of BACKUP_KEY, else of the data folder, signs each backup
// and, with BACKUP_ENCRYPTION, encrypts it. The system is that of MONGO_URL (for a restore also
// AMQP_URL and REDIS_URL), else a running `make up`, else the instance in DATA_DIR.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { baseVariables, ConfigError, readConfig } from '@watchline/kit/process/config'
import { describeFailure } from '../operator/describe-failure.ts'
import { dataFolder, runningSystem } from '../operator/running-system.ts'
import { provisionMongo, runningMongo } from '../provision/mongo.ts'
import { cacheFolder, projectRoot } from '../provision/paths.ts'
import { ProvisionError, type Provisioned } from '../provision/types.ts'
import { BackupError } from './backup-error.ts'
import { createBackup } from './create.ts'
import { readBackupSettings } from './keys.ts'
import { checkBackup, restoreBackup } from './restore.ts'

const usage = `usage: npm run backup -- create <new folder>                          saves all databases at one instant, while everything runs
       npm run backup -- check <folder> [--unsigned]                  reads a whole backup and compares it with its manifest and signature
       npm run backup -- restore <folder> [--replace] [--unsigned]    restores all databases to that instant; stop every service first`

const [command = '', folderArgument = '', ...options] = process.argv.slice(2)
const optionsOf: Record<string, readonly string[]> = {
  create: [],
  check: ['--unsigned'],
  restore: ['--replace', '--unsigned'],
}
if (!folderArgument || !optionsOf[command] || options.some(option => !optionsOf[command]!.includes(option))) {
  console.error(usage)
  process.exit(2)
}
const replace = options.includes('--replace')
const unsigned = options.includes('--unsigned')
const { mongoUrl, databasePrefix, amqpUrl, amqpExchange, redisUrl, redisPrefix } = baseVariables
/** npm changes to the project's folder. INIT_CWD is the caller's folder. */
const folder = resolve(process.env.INIT_CWD ?? '.', folderArgument)
const log = (line: string) => console.error(`  ${line}`)
process.chdir(projectRoot)

try {
  const { keys, encrypts } = readBackupSettings(process.env, { creates: command === 'create' })
  const verification = { keys, unsigned }
  if (unsigned) log('the signature is not compared')
  if (command === 'check') printResult('is complete', await checkBackup(folder, verification))
  else {
    const system = await findSystem()
    try {
      if (command === 'create')
        printResult('is written', await createBackup({ ...system, folder, keys: keys!, encrypts, log }))
      else printResult('is restored', await restoreBackup(folder, { ...system, replace, verification, log }))
    } finally {
      await system.stop()
    }
  }
  process.exit(0)
} catch (error) {
  console.error(describeFailure(error, [BackupError, ConfigError, ProvisionError]))
  process.exit(1)
}

function printResult(state: string, { at, version }: { at: string; version: string }) {
  console.log(`The backup ${folder} ${state}: everything as of ${at}, by version ${version}.`)
}

async function findSystem() {
  const running = runningSystem(process.env, 'MONGO_URL')
  const own = running ? undefined : await ownMongo()
  const env = running?.env ?? { ...process.env, MONGO_URL: own!.url }
  const config = readConfig(env, { mongoUrl, databasePrefix, amqpUrl, amqpExchange, redisUrl, redisPrefix })
  return {
    mongoUrl: config.mongoUrl,
    databasePrefix: config.databasePrefix,
    ...(config.amqpUrl && { amqp: { url: config.amqpUrl, exchange: config.amqpExchange } }),
    ...(config.redisUrl && { redis: { url: config.redisUrl, prefix: config.redisPrefix } }),
    ...(own && command === 'restore' && findStoppedDataFolder(config.databasePrefix)),
    stop: own?.stop ?? (async () => {}),
  }
}

/** A trial in databases of its own must not remove the events of the instance. */
function findStoppedDataFolder(prefix: string) {
  const folder = dataFolder(process.env)
  if (prefix === readConfig({}, { databasePrefix }).databasePrefix) return { stoppedDataFolder: folder }
  log(`DATABASE_PREFIX is ${prefix}, so the queues and dead letters in ${folder} stay. If they belong to these`)
  log('databases, remove rabbitmq and dead-letters.json there before the next start.')
  return {}
}

/** The MongoDB of the data folder. If none runs there, this command starts it until it ends. */
async function ownMongo(): Promise<Provisioned> {
  const dataDir = join(dataFolder(process.env), 'mongo')
  if (command === 'create' && !existsSync(join(dataDir, 'watchline-port')))
    throw new BackupError(`There are no data in ${dataFolder(process.env)}. Set DATA_DIR, or MONGO_URL.`)
  const running = await runningMongo(dataDir)
  if (running && command === 'restore') throw new BackupError('Watchline is still running. Stop it, then restore.')
  return running ? { url: running, stop: async () => {} } : provisionMongo({ dataDir, cacheDir: cacheFolder(), log })
}
