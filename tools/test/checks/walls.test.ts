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
  const topFolders = [...new Set(Object.keys(files).map(path => path.split('/')[0]!))]
  const program = join(projectRoot, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs')
  const config = join(projectRoot, '.dependency-cruiser.cjs')
  const args = [program, '--config', config, '--output-type', 'json', ...topFolders]
  const report = JSON.parse(execFileSync(process.execPath, args, { cwd: project, encoding: 'utf8', env: process.env }))
  return report.summary.violations.map((violation: { rule: { name: string } }) => violation.rule.name).sort()
}

const thing = 'export const thing = 1\n'
const type = 'export type Thing = string\n'
const importing = (path: string) => `import { thing } from '${path}'\nexport const other = thing\n`

test.each([
  [
    'a service imports another',
    'services-are-independent',
    'services/a/src/x.ts',
    'services/b/src/thing.ts',
    '../../b/src/thing.ts',
  ],
  [
    'a service imports the gateway',
    'services-are-independent',
    'services/a/src/x.ts',
    'gateway/src/thing.ts',
    '../../../gateway/src/thing.ts',
  ],
  [
    'the gateway imports a service',
    'gateway-is-independent',
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
    'a service imports a development tool',
    'product-needs-no-tools',
    'services/a/src/x.ts',
    'tools/src/thing.ts',
    '../../../tools/src/thing.ts',
  ],
  [
    'rules import a store',
    'rules-are-pure',
    'services/a/src/rules/x.ts',
    'services/a/src/store/thing.ts',
    '../store/thing.ts',
  ],
  [
    'a feature imports another',
    'features-are-independent',
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
    'the outbox of the web imports a feature',
    'ui-knows-no-feature',
    'web/src/outbox/x.ts',
    'web/src/features/b/thing.ts',
    '../features/b/thing.ts',
  ],
  [
    'the fault run imports the load run',
    'experiments-are-independent',
    'lab/src/faults/x.ts',
    'lab/src/load/thing.ts',
    '../load/thing.ts',
  ],
  [
    'the web imports the kit',
    'web-imports-contracts-only',
    'web/src/api/x.ts',
    'shared/kit/src/thing.ts',
    '../../../shared/kit/src/thing.ts',
  ],
  [
    'core imports another layer of the kit',
    'kit-layer-core',
    'shared/kit/src/core/x.ts',
    'shared/kit/src/observability/thing.ts',
    '../observability/thing.ts',
  ],
  [
    'observability imports a higher layer',
    'kit-layer-observability',
    'shared/kit/src/observability/x.ts',
    'shared/kit/src/mongo/thing.ts',
    '../mongo/thing.ts',
  ],
  [
    'the MongoDB helpers import the live store',
    'kit-layer-mongo',
    'shared/kit/src/mongo/x.ts',
    'shared/kit/src/live/thing.ts',
    '../live/thing.ts',
  ],
  [
    'the live store imports messaging',
    'kit-layer-live',
    'shared/kit/src/live/x.ts',
    'shared/kit/src/messaging/thing.ts',
    '../messaging/thing.ts',
  ],
  [
    'messaging imports HTTP',
    'kit-layer-messaging',
    'shared/kit/src/messaging/x.ts',
    'shared/kit/src/http/thing.ts',
    '../http/thing.ts',
  ],
  [
    'HTTP imports the process',
    'kit-layer-http',
    'shared/kit/src/http/x.ts',
    'shared/kit/src/process/thing.ts',
    '../process/thing.ts',
  ],
  [
    'the kit imports identity',
    'kit-knows-no-identity',
    'shared/kit/src/http/x.ts',
    'shared/identity/src/thing.ts',
    '../../../identity/src/thing.ts',
  ],
  [
    'a service imports test support',
    'testing-is-for-tests',
    'services/a/src/x.ts',
    'shared/testing/src/thing.ts',
    '../../../shared/testing/src/thing.ts',
  ],
  [
    'auth obtains the right to write locks',
    'playback-session-writes-locks',
    'services/auth/src/x.ts',
    'shared/kit/src/live/monitoring-lock-writer.ts',
    '../../../shared/kit/src/live/monitoring-lock-writer.ts',
  ],
  [
    'the gateway obtains the right to write locks',
    'playback-session-writes-locks',
    'gateway/src/x.ts',
    'shared/kit/src/live/monitoring-lock-writer.ts',
    '../../shared/kit/src/live/monitoring-lock-writer.ts',
  ],
  [
    'engagement obtains the right to write presence',
    'presence-has-two-writers',
    'services/engagement/src/x.ts',
    'shared/kit/src/live/presence-writer.ts',
    '../../../shared/kit/src/live/presence-writer.ts',
  ],
])('%s: the wall %s', (_title, wall, from, to, path) => {
  expect(breaches({ [from]: importing(path), [to]: thing })).toEqual([wall])
})

test.each(['shared/kit/src/core', 'services/a/src', 'web/src/api'])(
  'modules in %s that import types of each other are a cycle',
  folder => {
    const importingType = (path: string) => `import type { Thing } from '${path}'\nexport type Other = Thing\n${type}`
    const files = { [`${folder}/a.ts`]: importingType('./b.ts'), [`${folder}/b.ts`]: importingType('./a.ts') }
    expect(new Set(breaches(files))).toEqual(new Set(['no-cycles']))
  },
)

test('playback-session writes locks, the gateway presence', () => {
  const lockWriter = 'shared/kit/src/live/monitoring-lock-writer.ts'
  const presenceWriter = 'shared/kit/src/live/presence-writer.ts'
  expect(
    breaches({ 'services/playback-session/src/x.ts': importing(`../../../${lockWriter}`), [lockWriter]: thing }),
  ).toEqual([])
  expect(breaches({ 'gateway/src/x.ts': importing(`../../${presenceWriter}`), [presenceWriter]: thing })).toEqual([])
})

test('an import of a type counts, and an allowed import is no breach', () => {
  const typeImport = "import type { Thing } from '../../../shared/kit/src/thing.ts'\nexport type Other = Thing\n"
  expect(breaches({ 'web/src/api/x.ts': typeImport, 'shared/kit/src/thing.ts': type })).toEqual([
    'web-imports-contracts-only',
  ])
  expect(
    breaches({ 'services/a/src/x.ts': importing('./rules/thing.ts'), 'services/a/src/rules/thing.ts': thing }),
  ).toEqual([])
})
