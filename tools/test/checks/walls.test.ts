import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import { projectRoot } from '../../src/provision/paths.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** The names of the walls that a small project with these files breaches. */
function breaches(files: Record<string, string>): string[] {
  const project = mkdtempSync(join(tmpdir(), 'walls-'))
  folders.push(project)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  const tops = [...new Set(Object.keys(files).map(path => path.split('/')[0]!))]
  const program = join(projectRoot, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs')
  const config = join(projectRoot, '.dependency-cruiser.cjs')
  const args = [program, '--config', config, '--output-type', 'json', ...tops]
  const report = JSON.parse(execFileSync(process.execPath, args, { cwd: project, encoding: 'utf8', env: process.env }))
  return report.summary.violations.map((each: { rule: { name: string } }) => each.rule.name).sort()
}

const thing = 'export const thing = 1\n'
const type = 'export type Thing = string\n'
const using = (path: string) => `import { thing } from '${path}'\nexport const other = thing\n`

test.each([
  [
    'a service imports another',
    'services-are-strangers',
    'services/a/src/x.ts',
    'services/b/src/thing.ts',
    '../../b/src/thing.ts',
  ],
  [
    'a service imports the gateway',
    'services-are-strangers',
    'services/a/src/x.ts',
    'gateway/src/thing.ts',
    '../../../gateway/src/thing.ts',
  ],
  [
    'the gateway imports a service',
    'gateway-alone',
    'gateway/src/x.ts',
    'services/a/src/thing.ts',
    '../../services/a/src/thing.ts',
  ],
  [
    'contracts import the kit',
    'contracts-stand-alone',
    'shared/contracts/src/x.ts',
    'shared/kit/src/thing.ts',
    '../../kit/src/thing.ts',
  ],
  [
    'the kit imports a service',
    'kit-knows-no-service',
    'shared/kit/src/x.ts',
    'services/a/src/thing.ts',
    '../../../services/a/src/thing.ts',
  ],
  [
    'a service needs what is for development',
    'product-needs-no-tools',
    'services/a/src/x.ts',
    'tools/src/thing.ts',
    '../../../tools/src/thing.ts',
  ],
  [
    'rules do more than rules',
    'rules-are-pure',
    'services/a/src/rules/x.ts',
    'services/a/src/store/thing.ts',
    '../store/thing.ts',
  ],
  [
    'a feature imports another',
    'features-are-strangers',
    'web/src/features/a/x.tsx',
    'web/src/features/b/thing.ts',
    '../b/thing.ts',
  ],
  [
    'ui imports a feature',
    'ui-knows-no-feature',
    'web/src/ui/x.tsx',
    'web/src/features/b/thing.ts',
    '../features/b/thing.ts',
  ],
  [
    'the web imports the kit',
    'web-speaks-by-contract',
    'web/src/api/x.ts',
    'shared/kit/src/thing.ts',
    '../../../shared/kit/src/thing.ts',
  ],
])('%s: the wall %s', (_what, wall, from, to, path) => {
  expect(breaches({ [from]: using(path), [to]: thing })).toEqual([wall])
})

test('a type alone is an import too, and what is allowed is no breach', () => {
  const asType = "import type { Thing } from '../../../shared/kit/src/thing.ts'\nexport type Other = Thing\n"
  expect(breaches({ 'web/src/api/x.ts': asType, 'shared/kit/src/thing.ts': type })).toEqual(['web-speaks-by-contract'])
  expect(
    breaches({ 'services/a/src/x.ts': using('./rules/thing.ts'), 'services/a/src/rules/thing.ts': thing }),
  ).toEqual([])
})
