import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serviceNames } from '@watchline/contracts/operation'

/** Secrets that sign and verify. Each is a list while it is replaced. */
export const hmacSecretNames = ['CSRF_SECRET', 'REFRESH_SECRET', 'COOKIE_SECRET', 'MEDIA_SECRET'] as const

const names = [
  'TOKEN_PRIVATE_KEY',
  'TOKEN_PUBLIC_KEY',
  'INTERNAL_PRIVATE_KEY',
  'INTERNAL_PUBLIC_KEYS',
  'RECORD_PRIVATE_KEY',
  ...hmacSecretNames,
] as const

/**
 * Keys are P-256, that of records Ed25519; older versions had RSA keys. The others are 64
 * hexadecimal characters.
 */
export type Secrets = Record<(typeof names)[number], string>

/**
 * Secrets for a development instance, created once and stored in `dataDir`, so that sign-ins
 * survive a restart. The environment takes precedence. Production never uses them: there a missing
 * secret prevents the start.
 */
export function developmentSecrets(dataDir: string, env: NodeJS.ProcessEnv = process.env): Secrets {
  const file = join(dataDir, 'secrets.json')
  if (!existsSync(file)) createFile(file, generateSecrets(), dataDir)
  let secrets = readSecrets(file)
  if (names.some(name => !secrets[name])) {
    // An older version stored fewer secrets.
    secrets = { ...generateSecrets(), ...secrets }
    replaceSecrets(file, secrets)
  }
  const fromFile = Object.fromEntries(names.map(name => [name, secrets[name]]))
  const fromEnv = Object.fromEntries(names.filter(name => env[name]).map(name => [name, env[name]]))
  if (fromEnv.TOKEN_PRIVATE_KEY && !fromEnv.TOKEN_PUBLIC_KEY)
    fromEnv.TOKEN_PUBLIC_KEY = publicKeyOf(fromEnv.TOKEN_PRIVATE_KEY)
  if (fromEnv.INTERNAL_PRIVATE_KEY && !fromEnv.INTERNAL_PUBLIC_KEYS)
    fromEnv.INTERNAL_PUBLIC_KEYS = publicKeyLines(fromEnv.INTERNAL_PRIVATE_KEY, serviceNames)
  const merged = { ...fromFile, ...fromEnv }
  // The configuration refuses a secret that is set twice, by value and by file.
  const fromFiles = names.filter(name => env[`${name}_FILE`])
  return Object.fromEntries(
    Object.entries(merged).filter(([name]) => !(fromFiles as string[]).includes(name)),
  ) as Secrets
}

/**
 * New secrets at each call. All services of a development instance have the same internal key,
 * because they run as one user.
 */
export function generateSecrets(): Secrets {
  const tokenKey = generatePrivateKey()
  const internalKey = generatePrivateKey()
  return {
    TOKEN_PRIVATE_KEY: tokenKey,
    TOKEN_PUBLIC_KEY: publicKeyOf(tokenKey),
    INTERNAL_PRIVATE_KEY: internalKey,
    INTERNAL_PUBLIC_KEYS: publicKeyLines(internalKey, serviceNames),
    RECORD_PRIVATE_KEY: generateRecordKey(),
    CSRF_SECRET: generateSecret(),
    REFRESH_SECRET: generateSecret(),
    COOKIE_SECRET: generateSecret(),
    MEDIA_SECRET: generateSecret(),
  }
}

export const generateSecret = () => randomBytes(32).toString('hex')

/** A P-256 key in PEM. */
export function generatePrivateKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string
}

/** An Ed25519 key in PEM, for signatures of records. */
export function generateRecordKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
}

/** The public key in PEM. */
export function publicKeyOf(privateKey: string): string {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }) as string
}

/** The public key as lines of INTERNAL_PUBLIC_KEYS, one for each service. */
export function publicKeyLines(privateKey: string, services: readonly string[]): string {
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64')
  return services.map(service => `${service} ${publicKey}\n`).join('')
}

/** A link, unlike a rename, fails if the file exists. So concurrent starts use the same secrets. */
function createFile(file: string, secrets: Secrets, dataDir: string) {
  mkdirSync(dataDir, { recursive: true })
  const temporaryFile = writeTemporaryFile(file, secrets)
  try {
    linkSync(temporaryFile, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(temporaryFile)
  }
}

export function replaceSecrets(file: string, secrets: Readonly<Record<string, string>>) {
  renameSync(writeTemporaryFile(file, secrets), file)
}

function writeTemporaryFile(file: string, secrets: Readonly<Record<string, string>>): string {
  const temporaryFile = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`
  writeFileSync(temporaryFile, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  return temporaryFile
}

export function readSecrets(file: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(
      `${file} cannot be read (${(error as Error).message}). Correct it, or delete it: then everybody must sign in again.`,
    )
  }
}
