import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { configReaders, processes } from '../../src/deployment/settings.ts'
import { projectRoot } from '../../src/provision/paths.ts'
import { documentedSettings, requiredSettings, settingsReadBy } from './_settings.ts'

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8')

test.each(processes)('the table of settings has exactly the settings that %s reads', name => {
  const documented = documentedSettings.filter(({ readBy }) => readBy.includes(name)).map(row => row.name)
  expect(documented.sort()).toEqual([...settingsReadBy(name)].sort())
})

test('the table of settings has the real defaults', () => {
  for (const { name, readBy, defaultValue } of documentedSettings)
    for (const process of readBy) {
      if (defaultValue === undefined) continue
      const env = { ...requiredSettings, [name]: defaultValue }
      expect([name, configReaders[process](env)]).toEqual([name, configReaders[process](requiredSettings)])
    }
})

test('.env.example has every setting', () => {
  const example = read('.env.example')
  for (const { name } of documentedSettings) expect(example).toMatch(new RegExp(`^# ${name}=`, 'm'))
})
