// `npm run admin -- reset-password <email>`
// Sets a new password for an administrator who cannot sign in.
// `npm run admin -- remove-second-factors <email>`
// Lets an administrator who lost their second factors sign in with the password alone.
// `npm run admin -- verify-audit [file] [--checkpoint <seq>:<hash>] [--first <seq>]`
// Checks the hash chain of the audit log, in the database or in an exported file.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createMemoryLiveStore } from '@watchline/kit/live/memory-live-store'
import { ConfigError } from '@watchline/kit/process/config'
import {
  type AdminAccounts,
  AdminCommandError,
  openAdminAccounts,
} from '../../../services/auth/src/actions/reset-admin-password.ts'
import { readDatabaseConfig } from '../../../services/auth/src/config.ts'
import { provisionMongo, runningMongo } from '../provision/mongo.ts'
import { cacheFolder, projectRoot } from '../provision/paths.ts'
import { ProvisionError, type Provisioned } from '../provision/types.ts'
import { askSecret, NoAnswerError, type Terminal } from './ask-secret.ts'
import { describeFailure } from './describe-failure.ts'
import { trustAuthorityOf } from './running-system.ts'
import { readCheckpoint, readFirst, verifyAuditDatabase, verifyAuditFile } from './verify-audit.ts'

const startFolder = process.cwd()
const runCommand = readCommand(process.argv.slice(2))
if (!runCommand) {
  console.error('usage: npm run admin -- reset-password <email>')
  console.error('       npm run admin -- remove-second-factors <email>')
  console.error('       npm run admin -- verify-audit [file] [--checkpoint <seq>:<hash>] [--first <seq>]')
  process.exit(2)
}
process.chdir(projectRoot)

try {
  process.exit((await runCommand()) ? 0 : 1)
} catch (error) {
  console.error(describeFailure(error, [ConfigError, AdminCommandError, ProvisionError, NoAnswerError]))
  process.exit(1)
}

/** Undefined for anything but a command with its arguments. A command resolves to its success. */
function readCommand(args: string[]): (() => Promise<boolean>) | undefined {
  const [command, ...commandArgs] = args
  if (command === 'verify-audit') return readVerifyAudit(commandArgs)
  const accountCommand = { 'reset-password': resetPassword, 'remove-second-factors': removeSecondFactors }[
    command ?? ''
  ]
  const [email, ...extra] = commandArgs
  if (!accountCommand || !email || extra.length > 0) return undefined
  return async () => {
    await withMongo(url => withAccounts(url, email, accountCommand))
    return true
  }
}

function readVerifyAudit(args: string[]): (() => Promise<boolean>) | undefined {
  try {
    const { positionals, values } = parseArgs({
      args,
      options: { checkpoint: { type: 'string' }, first: { type: 'string' } },
      allowPositionals: true,
    })
    const [file, ...extra] = positionals
    if (extra.length > 0) return undefined
    return async () => {
      const checkpoint = readCheckpoint(values.checkpoint)
      const knownFirst = readFirst(values.first)
      // npm changes the folder; INIT_CWD is where the operator typed the name.
      if (file) return verifyAuditFile(resolve(process.env.INIT_CWD ?? startFolder, file), checkpoint)
      return withMongo(url => verifyAuditDatabase(url, { checkpoint, knownFirst }))
    }
  } catch {
    return undefined
  }
}

async function withMongo<T>(work: (url: string) => Promise<T>): Promise<T> {
  const mongo = await reachMongo()
  try {
    return await work(mongo.url)
  } finally {
    await mongo.stop()
  }
}

/** Runs a command for the administrator with this address. */
async function withAccounts(
  mongoUrl: string,
  address: string,
  work: (accounts: AdminAccounts, address: string) => Promise<void>,
) {
  const accounts = await openAdminAccounts(
    readDatabaseConfig({ ...process.env, MONGO_URL: mongoUrl, MONGO_URL_FILE: undefined }),
    createMemoryLiveStore(),
  )
  try {
    const emails = await accounts.emails()
    if (emails.length === 0) throw new AdminCommandError('No administrator has been set up here yet.')
    if (!emails.includes(address.trim().toLowerCase()))
      throw new AdminCommandError(
        `No administrator has the address ${address}. The administrators are: ${emails.join(', ')}.`,
      )
    await work(accounts, address)
  } finally {
    await accounts.close()
  }
}

async function resetPassword(accounts: AdminAccounts, address: string) {
  const password = await askNewPassword({ input: process.stdin, output: process.stderr })
  const { endedSessions } = await accounts.resetPassword(address, password)
  const endedText = endedSessions === 1 ? '1 sign-in was ended' : `${endedSessions} sign-ins were ended`
  console.log(`The password of ${address} is changed; ${endedText}.`)
}

async function removeSecondFactors(accounts: AdminAccounts, address: string) {
  const count = await accounts.removeSecondFactors(address)
  if (count === 0) console.log(`${address} has no second factor.`)
  else console.log(`${address} has no second factor any more and signs in with the password; ${count} removed.`)
}

async function askNewPassword(terminal: Terminal): Promise<string> {
  const password = await askSecret('New password (it is not shown): ', terminal)
  if (terminal.input.isTTY && (await askSecret('The same again: ', terminal)) !== password)
    throw new AdminCommandError('Passwords do not match')
  return password
}

/**
 * The MongoDB of MONGO_URL or MONGO_URL_FILE, else of the data folder. If none runs there, this
 * command starts it until it ends.
 */
async function reachMongo(): Promise<Provisioned> {
  trustAuthorityOf(process.env)
  if (process.env.MONGO_URL || process.env.MONGO_URL_FILE)
    return { url: readDatabaseConfig(process.env).mongoUrl, stop: async () => {} }
  const dataDir = resolve(process.env.DATA_DIR || 'data', 'mongo')
  if (!existsSync(join(dataDir, 'watchline-port')))
    throw new AdminCommandError(
      `There are no data in ${resolve(dataDir, '..')}. Set DATA_DIR to Watchline's data folder, or MONGO_URL to its database.`,
    )
  const running = await runningMongo(dataDir)
  if (running) return { url: running, stop: async () => {} }
  return provisionMongo({ dataDir, cacheDir: cacheFolder(), log: line => console.error(`  ${line}`) })
}
