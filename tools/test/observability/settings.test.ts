import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { configReaders, type ProcessName, processes } from '../../src/deployment/settings.ts'
import { projectRoot } from '../../src/provision/paths.ts'

const secret = 'x'.repeat(64)
const requiredSettings: NodeJS.ProcessEnv = {
  MONGO_URL: 'mongodb://127.0.0.1/?replicaSet=rs0',
  TOKEN_PUBLIC_KEY: '-----BEGIN PUBLIC KEY-----',
  TOKEN_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----',
  INTERNAL_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----',
  INTERNAL_PUBLIC_KEYS: 'chat key',
  REFRESH_SECRET: secret,
  COOKIE_SECRET: secret,
  CSRF_SECRET: secret,
  MEDIA_SECRET: secret,
}
const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8')

const pathSettings = new Set(['TLS_CA_FILE', 'TLS_CERT_FILE', 'TLS_KEY_FILE'])

/** The names of the settings that a process reads. */
function settingsReadBy(name: ProcessName): Set<string> {
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

const tableRows = [
  ...read('docs/operations.md').matchAll(/^\| `([A-Z_]+)` \| ([a-z, -]+) \| (?:`([^`]*)`)? ?\|/gm),
].map(([, name, readBy, defaultValue]) => ({
  name: name!,
  readBy: processes.filter(
    process =>
      readBy === 'all' || (readBy === 'services' && process !== 'gateway') || readBy!.split(', ').includes(process),
  ),
  defaultValue,
}))

test.each(processes)('the table of settings has exactly the settings that %s reads', name => {
  const documented = tableRows.filter(({ readBy }) => readBy.includes(name)).map(row => row.name)
  expect(documented.sort()).toEqual([...settingsReadBy(name)].sort())
})

test('the table of settings has the real defaults', () => {
  for (const { name, readBy, defaultValue } of tableRows)
    for (const process of readBy) {
      if (defaultValue === undefined) continue
      const env = { ...requiredSettings, [name]: defaultValue }
      expect([name, configReaders[process](env)]).toEqual([name, configReaders[process](requiredSettings)])
    }
})

test('.env.example has every setting', () => {
  const example = read('.env.example')
  for (const { name } of tableRows) expect(example).toMatch(new RegExp(`^# ${name}=`, 'm'))
})
