import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export interface RunningSystem {
  /** The environment of its services, as far as known. */
  env: NodeJS.ProcessEnv
  /** Where the addresses come from. */
  source: string
}

/**
 * The addresses of the system that a command works on: from the environment if it has the variable,
 * else those that a running `make up` keeps in DATA_DIR, else undefined.
 */
export function runningSystem(env: NodeJS.ProcessEnv, variable: 'MONGO_URL' | 'AMQP_URL'): RunningSystem | undefined {
  if (env[variable] || env[`${variable}_FILE`]) return { env, source: variable }
  const file = join(dataFolder(env), 'up', 'env.json')
  if (!existsSync(file)) return undefined
  const stored = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  return stored[variable] ? { env: { ...env, ...stored }, source: file } : undefined
}

/** The folder with all data of an instance on this machine. */
export function dataFolder(env: NodeJS.ProcessEnv): string {
  return resolve(env.DATA_DIR || 'data')
}
