import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export interface RunningSystem {
  /** The environment of its services, as far as it is known. */
  env: NodeJS.ProcessEnv
  /** Where the addresses come from, in words. */
  source: string
}

/**
 * The addresses of the system that a command is meant for: those of the environment when it gives `needed`, else those that `make up`
 * keeps in DATA_DIR while it runs; undefined when there is neither.
 */
export function runningSystem(env: NodeJS.ProcessEnv, needed: 'MONGO_URL' | 'AMQP_URL'): RunningSystem | undefined {
  if (env[needed] || env[`${needed}_FILE`]) return { env, source: needed }
  const file = join(dataFolder(env), 'up', 'env.json')
  if (!existsSync(file)) return undefined
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  return kept[needed] ? { env: { ...env, ...kept }, source: file } : undefined
}

/** Everything that an instance on this machine keeps. */
export function dataFolder(env: NodeJS.ProcessEnv): string {
  return resolve(env.DATA_DIR || 'data')
}
