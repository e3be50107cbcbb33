import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { serviceNames } from '@watchline/contracts/operation'
import { brokerUsers, redisUsers } from '../operator/store-users/names.ts'
import { generatePrivateKey, generateSecrets, publicKeyLines, readSecrets, replaceSecrets } from '../start/secrets.ts'
import { type RotationStep, rotateSecrets } from './secret-rotation.ts'
import { authorityKeyFile, createTlsFiles, renewCertificates, secureAddresses } from './tls-files.ts'

/** Secrets that only the organisation knows. Their files start empty. Empty means absent. */
export const filledInByHand = [
  'oidc_client_secret',
  'oidc_providers',
  'youtube_api_key',
  'smtp_url',
  'mail_reports_url',
] as const

/**
 * New secrets and certificates for a container deployment, by file name, for the services and the
 * bundled stores.
 * The stores' hosts are mongodb, rabbitmq and redis. In a cluster `domain` is `<namespace>.svc`,
 * because other namespaces reach the stores too: KEDA reads the queues.
 */
export async function deploymentSecrets(domain?: string): Promise<Record<string, string>> {
  const host = (name: string) => (domain ? `${name}.${domain}` : name)
  const { INTERNAL_PRIVATE_KEY: _, INTERNAL_PUBLIC_KEYS: __, ...generated } = generateSecrets()
  const own = Object.fromEntries(Object.entries(generated).map(([name, value]) => [name.toLowerCase(), value] as const))
  return {
    ...own,
    ...internalKeys(),
    admin_setup_token: password().slice(0, 32),
    backup_key: randomBytes(32).toString('hex'),
    mongo_root_password: password(),
    mongo_keyfile: randomBytes(567).toString('base64'),
    ...Object.fromEntries(
      [...serviceNames, 'operator'].map(name => [
        `mongo_url_${name}`,
        `mongodb://${name}:${password()}@${host('mongodb')}:27017/?replicaSet=rs0&authSource=admin&tls=true`,
      ]),
    ),
    ...Object.fromEntries(
      brokerUsers.map(name => [`amqp_url_${name}`, `amqps://${name}:${password()}@${host('rabbitmq')}:5671`]),
    ),
    ...Object.fromEntries(
      redisUsers.map(name => [`redis_url_${name}`, `rediss://${name}:${password()}@${host('redis')}:6379`]),
    ),
    ...Object.fromEntries(filledInByHand.map(name => [name, ''])),
    ...(await createTlsFiles(domain)),
  }
}

/** Each service has its own key, so that others know which service calls. */
function internalKeys(): Record<string, string> {
  const privateKeys = serviceNames.map(service => [service, generatePrivateKey()] as const)
  return {
    ...Object.fromEntries(privateKeys.map(([service, key]) => [`internal_private_key_${service}`, key])),
    internal_public_keys: privateKeys.map(([service, key]) => publicKeyLines(key, [service])).join(''),
  }
}

// Hexadecimal, so that addresses and configuration files need no escaping.
const password = () => randomBytes(24).toString('hex')

/**
 * Writes new secrets into an empty folder, or the missing ones into a folder of an older version.
 * Never changes a file. Throws if the folder holds anything else. Containers see the owner and mode
 * of the files, and stores run as different users. So the mode of the folder protects the secrets,
 * and the files are readable.
 */
export async function writeSecretFiles(folder: string, domain?: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const existing = fileNames(folder)
  if (existing.length > 0 && !existing.includes('token_private_key'))
    throw new Error(`${folder} is not empty and holds no secrets of Watchline. Name another folder.`)
  const secrets = await deploymentSecrets(domain)
  // An operator may keep the authority's key elsewhere.
  const isKeptElsewhere = (name: string) => name === authorityKeyFile && existing.includes('tls_ca')
  const missing = Object.keys(secrets).filter(name => !existing.includes(name) && !isKeptElsewhere(name))
  // The public keys must be those of the private ones, so they are created together.
  // An older version had other files with the same prefix.
  const current = existing.filter(name => name in secrets)
  requireAllOrNone(current, missing, 'internal_', 'internal keys')
  requireAllOrNone(current, missing, 'tls_', 'certificates')
  for (const name of missing) writeNewFile(join(folder, name), secrets[name]!, modeOf(name))
  return missing
}

function requireAllOrNone(existing: readonly string[], missing: readonly string[], prefix: string, what: string) {
  const missingOnes = missing.filter(name => name.startsWith(prefix))
  if (missingOnes.length > 0 && existing.some(name => name.startsWith(prefix)))
    throw new Error(`${missingOnes.join(', ')}: missing beside other ${what}. Restore, or remove all of them.`)
}

/** Issues new certificates, and returns the names of the changed files. */
export async function renewStoredCertificates(folder: string): Promise<string[]> {
  const store = secretsInFolder(folder)
  const changes = await renewCertificates(store.read())
  store.write(changes)
  return Object.keys(changes)
}

/** Makes the addresses of the bundled stores use TLS. Returns the names of the changed files. */
export function secureStoredAddresses(folder: string): string[] {
  const store = secretsInFolder(folder)
  const changes = secureAddresses(store.read())
  store.write(changes)
  return Object.keys(changes)
}

/**
 * One step of a rotation in a folder of secret files, or in the file `secrets.json` of a
 * development instance. Returns the names of the changed secrets.
 */
export async function rotateStoredSecrets(
  storePath: string,
  step: RotationStep,
  selected?: readonly string[],
): Promise<string[]> {
  const store = storePath.endsWith('.json') ? secretsInFile(storePath) : secretsInFolder(storePath)
  const changes = await rotateSecrets(store.read(), step, selected)
  store.write(changes)
  return Object.keys(changes)
}

type SecretChanges = Readonly<Record<string, string | undefined>>

function secretsInFolder(folder: string) {
  return {
    read: () =>
      Object.fromEntries(fileNames(folder).map(name => [name, readFileSync(join(folder, name), 'utf8')] as const)),
    write: (changes: SecretChanges) => {
      // A value is written before the one that it replaces goes, so an interruption loses none.
      for (const [name, value] of Object.entries(changes))
        if (value !== undefined) replaceSecretFile(folder, name, value)
      for (const [name, value] of Object.entries(changes)) if (value === undefined) rmSync(join(folder, name))
    },
  }
}

/** Without hidden files: an interruption may have left a temporary one. */
function fileNames(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile() && !entry.name.startsWith('.'))
    .map(entry => relative(folder, join(entry.parentPath, entry.name)))
}

/** No process reads the files in folders below, such as the key of the authority. */
const modeOf = (name: string) => (name.includes('/') ? 0o400 : 0o444)

function writeNewFile(file: string, value: string, mode: number) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, value, { mode, flag: 'wx' })
}

/** A rename, so that no process reads half a value, and the file may be read-only. */
function replaceSecretFile(folder: string, name: string, value: string) {
  const file = join(folder, name)
  const temporaryFile = join(dirname(file), `.${basename(file)}-${randomBytes(4).toString('hex')}`)
  writeNewFile(temporaryFile, value, modeOf(name))
  renameSync(temporaryFile, file)
}

function secretsInFile(file: string) {
  const inLowerCase = (secrets: Record<string, string>) =>
    Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name.toLowerCase(), value]))
  return {
    read: () => inLowerCase(readSecrets(file)),
    write: (changes: SecretChanges) => {
      const changed = Object.entries({ ...inLowerCase(readSecrets(file)), ...changes })
      const remaining = changed.filter((entry): entry is [string, string] => entry[1] !== undefined)
      replaceSecrets(file, Object.fromEntries(remaining.map(([name, value]) => [name.toUpperCase(), value])))
    },
  }
}
