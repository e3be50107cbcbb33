import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const names = [
  'TOKEN_PRIVATE_KEY',
  'TOKEN_PUBLIC_KEY',
  'CSRF_SECRET',
  'REFRESH_SECRET',
  'INTERNAL_SECRET',
  'COOKIE_SECRET',
  'MEDIA_SECRET',
] as const

/** Keys are PEM (RSA, 2048 bits); the others are 64 hexadecimal characters. */
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
    replaceFile(file, secrets)
  }
  const fromEnv = Object.fromEntries(names.filter(name => env[name]).map(name => [name, env[name]]))
  if (fromEnv.TOKEN_PRIVATE_KEY && !fromEnv.TOKEN_PUBLIC_KEY)
    fromEnv.TOKEN_PUBLIC_KEY = publicKeyOf(fromEnv.TOKEN_PRIVATE_KEY)
  const merged = { ...(secrets as Secrets), ...fromEnv }
  // The configuration refuses a secret that is set twice, by value and by file.
  const fromFiles = names.filter(name => env[`${name}_FILE`])
  return Object.fromEntries(
    Object.entries(merged).filter(([name]) => !(fromFiles as string[]).includes(name)),
  ) as Secrets
}

/** New secrets at each call. */
export function generateSecrets(): Secrets {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const secret = () => randomBytes(32).toString('hex')
  return {
    TOKEN_PRIVATE_KEY: privateKey,
    TOKEN_PUBLIC_KEY: publicKey,
    CSRF_SECRET: secret(),
    REFRESH_SECRET: secret(),
    INTERNAL_SECRET: secret(),
    COOKIE_SECRET: secret(),
    MEDIA_SECRET: secret(),
  }
}

function publicKeyOf(privateKey: string): string {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }) as string
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

function replaceFile(file: string, secrets: Partial<Secrets>) {
  renameSync(writeTemporaryFile(file, secrets), file)
}

function writeTemporaryFile(file: string, secrets: Partial<Secrets>): string {
  const temporaryFile = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`
  writeFileSync(temporaryFile, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  return temporaryFile
}

function readSecrets(file: string): Partial<Secrets> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(
      `${file} cannot be read (${(error as Error).message}). Correct it, or delete it: then everybody must sign in again.`,
    )
  }
}
