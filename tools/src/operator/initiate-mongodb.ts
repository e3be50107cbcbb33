// Prepares a new MongoDB for Watchline: a replica set of one, and users. Each service's user has
// rights on that service's database only. One more user is for the operator's commands. Repeating
// the command only updates passwords. `variables` lists its settings.
import { setTimeout as sleep } from 'node:timers/promises'
import { serviceNames } from '@watchline/contracts/operation'
import { baseVariables, ConfigError, readConfig, variable } from '@watchline/kit/process/config'
import mongoose from 'mongoose'
import { z } from 'zod'
import { trustAuthorityOf } from './running-system.ts'

const address = z.string().regex(/^mongodb:\/\/[^:@/]+:[^:@/]+@/)
const accepted = 'a mongodb:// address with a user and a password'

const variables = {
  /** The name that the services use. */
  host: variable('MONGO_HOST', z.string().default('mongodb:27017'), 'a name and a port'),
  rootPassword: variable('MONGO_ROOT_PASSWORD', z.string().min(1), 'the password of the user root'),
  databasePrefix: baseVariables.databasePrefix,
  ...Object.fromEntries(
    [...serviceNames, 'operator'].map(name => [
      name,
      variable(`MONGO_URL_${name.toUpperCase().replace('-', '_')}`, address, accepted),
    ]),
  ),
}

export async function initiateMongo(env: NodeJS.ProcessEnv, patienceMs = 120_000): Promise<void> {
  const config = readConfig(env, variables) as Record<string, string>
  const { host, rootPassword, databasePrefix } = config
  const deadline = Date.now() + patienceMs

  /** The server may still start. Its very first start ends with a restart. */
  async function withRetries<T>(attempt: () => Promise<T | undefined>): Promise<T> {
    for (;;) {
      try {
        const result = await attempt()
        if (result !== undefined) return result
      } catch (error) {
        if (!isTransient(error) || Date.now() > deadline) throw error
      }
      if (Date.now() > deadline) throw new Error(`MongoDB at ${host} did not become the primary in time`)
      await sleep(250)
    }
  }

  // A client whose first connection failed cannot be reused, so each attempt has its own.
  const client = await withRetries(async () => {
    const newClient = new mongoose.mongo.MongoClient(`mongodb://${host}`, {
      auth: { username: 'root', password: rootPassword! },
      authSource: 'admin',
      directConnection: true,
      // As the services do.
      tls: new URL(config.operator!).searchParams.get('tls') === 'true',
      serverSelectionTimeoutMS: 2_000,
    })
    try {
      return await newClient.connect()
    } catch (error) {
      await newClient.close()
      throw error
    }
  })
  const admin = client.db('admin')
  try {
    await withRetries(async () => {
      const { setName } = await admin.command({ hello: 1 })
      if (setName) return true
      const config = { _id: 'rs0', members: [{ _id: 0, host }] }
      return admin.command({ replSetInitiate: config }).catch(ignoring('AlreadyInitialized'))
    })
    await withRetries(async () => ((await admin.command({ hello: 1 })).isWritablePrimary ? true : undefined))
    const readWriteRole = (name: string) => ({ role: 'readWrite', db: `${databasePrefix}-${name}` })
    for (const name of serviceNames) {
      const db = `${databasePrefix}-${name}`
      const expiryRole = `${db}-expiry`
      // A service changes the expiry of its collections when a retention setting changes.
      await createOrUpdateRole(admin, expiryRole, [{ resource: { db, collection: '' }, actions: ['collMod'] }])
      await createOrUpdateUser(admin, config[name]!, [readWriteRole(name), { role: expiryRole, db: 'admin' }])
    }
    await createOrUpdateUser(admin, config.operator!, [
      ...serviceNames.flatMap(name => [readWriteRole(name), { ...readWriteRole(name), role: 'dbAdmin' }]),
      // A backup extends MongoDB's snapshot history while it reads.
      { role: 'clusterMonitor', db: 'admin' },
      { role: 'hostManager', db: 'admin' },
    ])
  } finally {
    await client.close()
  }
}

/** Gives the role exactly these privileges. */
async function createOrUpdateRole(admin: mongoose.mongo.Db, role: string, privileges: object[]) {
  const roles: object[] = []
  const { roles: existing } = await admin.command({ rolesInfo: role })
  await admin.command(
    existing.length > 0 ? { updateRole: role, privileges, roles } : { createRole: role, privileges, roles },
  )
}

/** Gives the user in the address exactly these roles. */
async function createOrUpdateUser(admin: mongoose.mongo.Db, url: string, roles: { role: string; db: string }[]) {
  const { username, password } = new URL(url)
  const user = { pwd: decodeURIComponent(password), roles }
  const { users } = await admin.command({ usersInfo: username })
  await admin.command(users.length > 0 ? { updateUser: username, ...user } : { createUser: username, ...user })
}

function isTransient(error: unknown): boolean {
  const { name, codeName } = error as { name?: string; codeName?: string }
  return (
    name === 'MongoServerSelectionError' ||
    name === 'MongoNetworkError' ||
    // The first start has not created the root user yet.
    codeName === 'AuthenticationFailed' ||
    codeName === 'NodeNotFound'
  )
}

function ignoring(expected: string) {
  return (error: { codeName?: string }) => {
    if (error.codeName !== expected) throw error
    return true
  }
}

if (import.meta.main) {
  try {
    trustAuthorityOf(process.env)
    await initiateMongo(process.env)
    console.log('MongoDB is a replica set and has a user for each service')
  } catch (error) {
    console.error(error instanceof ConfigError ? error.message : error)
    process.exit(1)
  }
}
