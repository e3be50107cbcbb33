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
] as const

/** Keys are PEM (RSA, 2048 bits); the others are 64 hexadecimal characters. */
export type Secrets = Record<(typeof names)[number], string>

/**
 * Secrets for a development instance, created once and kept in `dataDir`, so that sign-ins survive a restart.
 * The environment takes precedence. Never used in production, where a missing secret prevents the start.
 */
export function developmentSecrets(dataDir: string, env: NodeJS.ProcessEnv = process.env): Secrets {
  const file = join(dataDir, 'secrets.json')
  if (!existsSync(file)) keep(file, generateSecrets(), dataDir)
  let secrets = read(file)
  if (names.some(name => !secrets[name])) {
    // an older version stored fewer secrets
    secrets = { ...generateSecrets(), ...secrets }
    replace(file, secrets)
  }
  const given = Object.fromEntries(names.filter(name => env[name]).map(name => [name, env[name]]))
  if (given.TOKEN_PRIVATE_KEY && !given.TOKEN_PUBLIC_KEY) given.TOKEN_PUBLIC_KEY = publicKeyOf(given.TOKEN_PRIVATE_KEY)
  const all = { ...(secrets as Secrets), ...given }
  // A secret that comes from a file must not be set twice.
  const elsewhere = names.filter(name => env[`${name}_FILE`])
  return Object.fromEntries(Object.entries(all).filter(([name]) => !(elsewhere as string[]).includes(name))) as Secrets
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
  }
}

function publicKeyOf(privateKey: string): string {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }) as string
}

/** A link, unlike a rename, fails if the file exists. So two concurrent starts use the same secrets. */
function keep(file: string, secrets: Secrets, dataDir: string) {
  mkdirSync(dataDir, { recursive: true })
  const own = write(file, secrets)
  try {
    linkSync(own, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(own)
  }
}

function replace(file: string, secrets: Partial<Secrets>) {
  renameSync(write(file, secrets), file)
}

function write(file: string, secrets: Partial<Secrets>): string {
  const own = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`
  writeFileSync(own, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  return own
}

function read(file: string): Partial<Secrets> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(
      `${file} cannot be read (${(error as Error).message}). Put it right, or remove it: everybody then signs in again.`,
    )
  }
}
