import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export interface RunningSystem {
  /** The environment of its services, as far as it is known. */
  env: NodeJS.ProcessEnv
  /** The source of the addresses: a variable's name or a file. */
  source: string
}

/**
 * The addresses of the system that a command works on. They come from the environment if it has the
 * variable, else from a running `make up` in DATA_DIR. Otherwise the result is undefined.
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
