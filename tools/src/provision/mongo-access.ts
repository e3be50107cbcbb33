import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import mongoose from 'mongoose'

/** The user of Watchline's own MongoDB. */
const user = 'watchline'
export const keyFileName = 'watchline-keyfile'
const passwordFile = (dataDir: string) => join(dataDir, 'watchline-password')

/**
 * The password for the MongoDB in this data folder; undefined if it has no user yet, because the
 * folder is new or of an older version.
 */
export function readPassword(dataDir: string): string | undefined {
  const file = passwordFile(dataDir)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

export function withPassword(url: string, password: string | undefined): string {
  if (password === undefined) return url
  const address = new URL(url)
  address.username = user
  address.password = password
  address.searchParams.set('authSource', 'admin')
  return address.href
}

/**
 * Creates the user at a MongoDB without access control. The password is stored last, so that a
 * crash in between leads to another attempt.
 */
export async function createUser(url: string, dataDir: string): Promise<void> {
  const password = randomBytes(24).toString('hex')
  const client = await mongoose.mongo.MongoClient.connect(url)
  try {
    const admin = client.db('admin')
    const { users } = await admin.command({ usersInfo: user })
    const command = users.length > 0 ? 'updateUser' : 'createUser'
    const writeConcern = { w: 'majority', j: true }
    await admin.command({ [command]: user, pwd: password, roles: ['root'], writeConcern })
  } finally {
    await client.close()
  }
  // MongoDB asks for a key file as soon as members of a replica set have users.
  writeOnce(join(dataDir, keyFileName), randomBytes(567).toString('base64'))
  writeOnce(passwordFile(dataDir), `${password}\n`)
}

/** Complete or absent, whenever the process ends. */
function writeOnce(file: string, content: string): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
