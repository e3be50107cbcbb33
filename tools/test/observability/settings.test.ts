import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { configReaders, type ProcessName, processes } from '../../src/deployment/settings.ts'
import { projectRoot } from '../../src/provision/paths.ts'

const secret = 'x'.repeat(64)
const needed: NodeJS.ProcessEnv = {
  MONGO_URL: 'mongodb://127.0.0.1/?replicaSet=rs0',
  TOKEN_PUBLIC_KEY: '-----BEGIN PUBLIC KEY-----',
  TOKEN_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----',
  INTERNAL_SECRET: secret,
  REFRESH_SECRET: secret,
  COOKIE_SECRET: secret,
  CSRF_SECRET: secret,
}
const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8')

/** What a process asks its environment for. */
function askedBy(name: ProcessName): Set<string> {
  const asked = new Set<string>()
  configReaders[name](
    new Proxy(needed, {
      get: (target, key) => {
        if (!String(key).endsWith('_FILE')) asked.add(String(key))
        return target[String(key)]
      },
    }),
  )
  return asked
}

const rows = [...read('docs/operations.md').matchAll(/^\| `([A-Z_]+)` \| ([a-z, -]+) \| (?:`([^`]*)`)? ?\|/gm)].map(
  ([, name, readBy, otherwise]) => ({
    name: name!,
    readBy: processes.filter(
      each => readBy === 'all' || (readBy === 'services' && each !== 'gateway') || readBy!.split(', ').includes(each),
    ),
    otherwise,
  }),
)

test.each(processes)('the table of settings has those that %s reads, and no others', name => {
  const told = rows.filter(({ readBy }) => readBy.includes(name)).map(row => row.name)
  expect(told.sort()).toEqual([...askedBy(name)].sort())
})

test('the table of settings tells the defaults as they are', () => {
  for (const { name, readBy, otherwise } of rows)
    for (const each of readBy) {
      if (otherwise === undefined) continue
      const given = { ...needed, [name]: otherwise }
      expect([name, configReaders[each](given)]).toEqual([name, configReaders[each](needed)])
    }
})

test('.env.example has every setting', () => {
  const example = read('.env.example')
  for (const { name } of rows) expect(example).toMatch(new RegExp(`^# ${name}=`, 'm'))
})
