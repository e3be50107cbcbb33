import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** The part of the Compose specification that the checks need. */
export interface ComposeService {
  image: string
  build?: { context: string; dockerfile: string; target?: string }
  command?: string[]
  entrypoint?: string[]
  environment?: Record<string, string | number | boolean>
  depends_on?: Record<string, { condition: string; restart?: boolean }>
  secrets?: (string | { source: string; target: string })[]
  healthcheck?: { test?: string[]; disable?: boolean }
  deploy?: { resources?: { limits?: { cpus?: string; memory?: string; pids?: number } } }
  networks?: string[]
  network_mode?: string
  ports?: string[]
  profiles?: string[]
  volumes?: string[]
  read_only?: boolean
  user?: string
  cap_drop?: string[]
  security_opt?: string[]
  restart?: string
  init?: boolean
  tmpfs?: string[]
  stop_grace_period?: string
}

export interface ComposeFile {
  services: Record<string, ComposeService>
  networks: Record<string, { internal?: boolean } | null>
  volumes: Record<string, unknown>
  secrets: Record<string, { file: string }>
}

/**
 * The file as Compose reads it: merge keys resolved, and `${NAME:-default}` and `${NAME:+other}`
 * replaced from `env`.
 */
export function readCompose(file: string, env: Record<string, string | undefined>): ComposeFile {
  return interpolate(parse(readFileSync(file, 'utf8'), { merge: true }), env) as ComposeFile
}

function interpolate(value: unknown, env: Record<string, string | undefined>): unknown {
  if (typeof value === 'string') return replaceVariables(value, env)
  if (Array.isArray(value)) return value.map(item => interpolate(item, env))
  if (value && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, interpolate(item, env)]))
  return value
}

const variable = /\$(?:(\$)|\{(\w+)(?::([-?+])([^}]*))?\}|(\w+))/g

function replaceVariables(text: string, env: Record<string, string | undefined>): string {
  return text.replaceAll(variable, (_, dollar, braced, operator, argument, bare) => {
    if (dollar) return '$'
    const value = env[braced ?? bare]
    if (operator === '+') return value ? argument : ''
    if (value) return value
    if (operator === '?') throw new Error(`${braced} ${argument}`)
    return operator === '-' ? argument : ''
  })
}

/** The settings in a file of `NAME=value` lines, such as .env. */
export function readEnvFile(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8').split('\n')
  return Object.fromEntries(
    lines.flatMap(line => {
      const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? []
      return name ? [[name, value!]] : []
    }),
  )
}
