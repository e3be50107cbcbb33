import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { trustAuthority } from '@watchline/kit/core/tls'

export interface RunningSystem {
  /** The environment of its services, as far as it is known. */
  env: NodeJS.ProcessEnv
  /** The source of the addresses: a variable's name or a file. */
  source: string
}

/**
 * The addresses of the system that a command works on. They come from the environment if it has the
 * variable, else from a running `make up` in DATA_DIR. Otherwise the result is undefined. From then
 * on this process trusts the authority of that system.
 */
export function runningSystem(env: NodeJS.ProcessEnv, variable: 'MONGO_URL' | 'AMQP_URL'): RunningSystem | undefined {
  if (env[variable] || env[`${variable}_FILE`]) {
    trustAuthorityOf(env)
    return { env, source: variable }
  }
  const file = join(dataFolder(env), 'up', 'env.json')
  if (!existsSync(file)) return undefined
  const stored = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  if (!stored[variable]) return undefined
  trustAuthorityOf(stored)
  return { env: { ...env, ...stored }, source: file }
}

/** The authority of TLS_CA_FILE, if there is one. */
export function trustAuthorityOf(env: NodeJS.ProcessEnv): void {
  if (env.TLS_CA_FILE) trustAuthority(env.TLS_CA_FILE)
}

/** The folder with all data of an instance on this machine. */
export function dataFolder(env: NodeJS.ProcessEnv): string {
  return resolve(env.DATA_DIR || 'data')
}
