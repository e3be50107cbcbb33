import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configReaders, type ProcessName, processes } from '../../src/deployment/settings.ts'
import { projectRoot } from '../../src/provision/paths.ts'

const secret = 'x'.repeat(64)
/** The smallest environment that every process accepts. */
export const requiredSettings: NodeJS.ProcessEnv = {
  MONGO_URL: 'mongodb://127.0.0.1/?replicaSet=rs0',
  TOKEN_PUBLIC_KEY: '-----BEGIN PUBLIC KEY-----',
  TOKEN_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----',
  RECORD_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----',
  INTERNAL_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----',
  INTERNAL_PUBLIC_KEYS: 'chat key',
  REFRESH_SECRET: secret,
  COOKIE_SECRET: secret,
  CSRF_SECRET: secret,
  MEDIA_SECRET: secret,
}

const pathSettings = new Set(['TLS_CA_FILE', 'TLS_CERT_FILE', 'TLS_KEY_FILE'])

/** The names of the settings that a process reads. */
export function settingsReadBy(name: ProcessName): Set<string> {
  const names = new Set<string>()
  configReaders[name](
    new Proxy(requiredSettings, {
      get: (target, key) => {
        // Every other setting may come from a file.
        if (!String(key).endsWith('_FILE') || pathSettings.has(String(key))) names.add(String(key))
        return target[String(key)]
      },
    }),
  )
  return names
}

const operations = readFileSync(join(projectRoot, 'docs/operations.md'), 'utf8')

/** The processes of a cell of docs/operations.md: `all`, `services`, or names. */
const processesIn = (cell: string): readonly ProcessName[] =>
  processes.filter(
    name => cell === 'all' || (cell === 'services' && name !== 'gateway') || cell.split(', ').includes(name),
  )

/** The table of all settings in docs/operations.md. */
export const documentedSettings = [
  ...operations.matchAll(/^\| `([A-Z_]+)` \| ([a-z, -]+) \| (?:`([^`]*)`)? ?\|/gm),
].map(([, name, readBy, defaultValue]) => ({ name: name!, readBy: processesIn(readBy!), defaultValue }))

/** The table in docs/operations.md of the settings that only a changed deployment can change. */
const fixedSettings = [
  ...operations.matchAll(/^\| ((?:`[A-Z_]+`(?:, )?)+) \| ([a-z, -]+) \| (Compose|both) \| \w/gm),
].map(([, names, readBy, deployments]) => ({
  names: [...names!.matchAll(/[A-Z_]+/g)].map(([name]) => name),
  readBy: processesIn(readBy!),
  deployments: deployments === 'both' ? ['Compose', 'Kubernetes'] : [deployments],
}))

/** The documented exceptions of a process, sorted. */
export function settingsFixedIn(deployment: 'Compose' | 'Kubernetes', name: ProcessName): string[] {
  return fixedSettings
    .filter(({ readBy, deployments }) => readBy.includes(name) && deployments.includes(deployment))
    .flatMap(({ names }) => names)
    .sort()
}
