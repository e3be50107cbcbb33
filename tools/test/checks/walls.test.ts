import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options'
import { projectRoot } from '../../src/provision/paths.ts'

const options = await extractDepcruiseOptions(join(projectRoot, '.dependency-cruiser.cjs'))
const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** The names of the walls that a small project with these files breaches. */
async function breaches(files: Record<string, string>): Promise<string[]> {
  const project = mkdtempSync(join(tmpdir(), 'walls-'))
  folders.push(project)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  const topFolders = [...new Set(Object.keys(files).map(path => path.split('/')[0]!))]
  const { output } = await cruise(topFolders, { ...options, baseDir: project })
  return (output as ICruiseResult).summary.violations.map(({ rule }) => rule.name).sort()
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
  [
    'engagement creates or names a writable live store',
    'processes-wire-the-live-store',
    'services/engagement/src/x.ts',
    'shared/kit/src/live/redis-live-store.ts',
    '../../../shared/kit/src/live/redis-live-store.ts',
  ],
  [
    'the gateway creates or names a writable live store',
    'processes-wire-the-live-store',
    'gateway/src/x.ts',
    'shared/kit/src/live/memory-live-store.ts',
    '../../shared/kit/src/live/memory-live-store.ts',
  ],
  [
    'a check of deployment files names a writable live store',
    'processes-wire-the-live-store',
    'tools/src/deployment/x.ts',
    'shared/kit/src/live/live-store-adapter.ts',
    '../../../shared/kit/src/live/live-store-adapter.ts',
  ],
  [
    'playback-session imports redis-locks',
    'processes-wire-the-live-store',
    'services/playback-session/src/x.ts',
    'shared/kit/src/live/redis-locks.ts',
    '../../../shared/kit/src/live/redis-locks.ts',
  ],
  [
    'playback-session imports redis-presence',
    'processes-wire-the-live-store',
    'services/playback-session/src/x.ts',
    'shared/kit/src/live/redis-presence.ts',
    '../../../shared/kit/src/live/redis-presence.ts',
  ],
  [
    'playback-session imports redis-client',
    'processes-wire-the-live-store',
    'services/playback-session/src/x.ts',
    'shared/kit/src/live/redis-client.ts',
    '../../../shared/kit/src/live/redis-client.ts',
  ],
  [
    'an action imports a job',
    'actions-know-no-entry-point',
    'services/a/src/actions/x.ts',
    'services/a/src/jobs/thing.ts',
    '../jobs/thing.ts',
  ],
  [
    'an action imports a route',
    'actions-know-no-entry-point',
    'services/a/src/actions/x.ts',
    'services/a/src/routes/thing.ts',
    '../routes/thing.ts',
  ],
  [
    'an action imports the wiring',
    'actions-know-no-entry-point',
    'services/a/src/actions/x.ts',
    'services/a/src/service.ts',
    '../service.ts',
  ],
  [
    'a route imports a job',
    'entry-points-are-independent',
    'services/a/src/routes/x.ts',
    'services/a/src/jobs/thing.ts',
    '../jobs/thing.ts',
  ],
  [
    'a consumer imports a route',
    'entry-points-are-independent',
    'services/a/src/consumers/x.ts',
    'services/a/src/routes/thing.ts',
    '../routes/thing.ts',
  ],
  [
    'a job imports a consumer',
    'entry-points-are-independent',
    'services/a/src/jobs/x.ts',
    'services/a/src/consumers/thing.ts',
    '../consumers/thing.ts',
  ],
  [
    'a store imports an action',
    'stores-and-clients-know-no-action',
    'services/a/src/store/x.ts',
    'services/a/src/actions/thing.ts',
    '../actions/thing.ts',
  ],
  [
    'a store imports the context',
    'stores-and-clients-know-no-action',
    'services/a/src/store/x.ts',
    'services/a/src/context.ts',
    '../context.ts',
  ],
  [
    'a client imports an action',
    'stores-and-clients-know-no-action',
    'services/a/src/clients/x.ts',
    'services/a/src/actions/thing.ts',
    '../actions/thing.ts',
  ],
  [
    'a client imports a route',
    'stores-and-clients-know-no-action',
    'services/a/src/clients/x.ts',
    'services/a/src/routes/thing.ts',
    '../routes/thing.ts',
  ],
  [
    'the experiment fuzz imports load',
    'experiments-are-independent',
    'lab/src/fuzz/x.ts',
    'lab/src/load/thing.ts',
    '../load/thing.ts',
  ],
  [
    'the experiment keycloak imports bench',
    'experiments-are-independent',
    'lab/src/keycloak/x.ts',
    'lab/src/bench/thing.ts',
    '../bench/thing.ts',
  ],
  [
    'the experiment pdf-ua imports faults',
    'experiments-are-independent',
    'lab/src/pdf-ua/x.ts',
    'lab/src/faults/thing.ts',
    '../faults/thing.ts',
  ],
  [
    'the experiment deactivation imports keycloak',
    'experiments-are-independent',
    'lab/src/deactivation/x.ts',
    'lab/src/keycloak/thing.ts',
    '../keycloak/thing.ts',
  ],
  [
    'the experiment clips imports pdf-ua',
    'experiments-are-independent',
    'lab/src/clips/x.ts',
    'lab/src/pdf-ua/thing.ts',
    '../pdf-ua/thing.ts',
  ],
  [
    'what experiments share imports fuzz',
    'experiments-are-independent',
    'lab/src/shared/x.ts',
    'lab/src/fuzz/thing.ts',
    '../fuzz/thing.ts',
  ],
])('%s: the wall %s', async (_title, wall, from, to, path) => {
  expect(await breaches({ [from]: importing(path), [to]: thing })).toEqual([wall])
})

test.each(['shared/kit/src/core', 'services/a/src', 'web/src/api'])(
  'modules in %s that import types of each other are a cycle',
  async folder => {
    const importingType = (path: string) => `import type { Thing } from '${path}'\nexport type Other = Thing\n${type}`
    const files = { [`${folder}/a.ts`]: importingType('./b.ts'), [`${folder}/b.ts`]: importingType('./a.ts') }
    expect(new Set(await breaches(files))).toEqual(new Set(['no-cycles']))
  },
)

test('playback-session writes locks, the gateway presence', async () => {
  const lockWriter = 'shared/kit/src/live/monitoring-lock-writer.ts'
  const presenceWriter = 'shared/kit/src/live/presence-writer.ts'
  expect(
    await breaches({ 'services/playback-session/src/x.ts': importing(`../../../${lockWriter}`), [lockWriter]: thing }),
  ).toEqual([])
  expect(await breaches({ 'gateway/src/x.ts': importing(`../../${presenceWriter}`), [presenceWriter]: thing })).toEqual(
    [],
  )
})

test('the start of a process creates a live store; inside a service imports go down', async () => {
  const adapter = 'shared/kit/src/live/memory-live-store.ts'
  expect(await breaches({ 'tools/src/start/x.ts': importing(`../../../${adapter}`), [adapter]: thing })).toEqual([])
  const below = ['actions', 'rules', 'store', 'clients'].map(folder => `${folder}/thing.ts`)
  const imports = below.map((path, index) => `import { thing as thing${index} } from '../${path}'\n`).join('')
  const uses = `export const all = [${below.map((_, index) => `thing${index}`)}]\n`
  expect(
    await breaches({
      'services/a/src/routes/x.ts': imports + uses,
      ...Object.fromEntries(below.map(path => [`services/a/src/${path}`, thing])),
    }),
  ).toEqual([])
})

test('an import of a type counts, and an allowed import is no breach', async () => {
  const typeImport = "import type { Thing } from '../../../shared/kit/src/thing.ts'\nexport type Other = Thing\n"
  expect(await breaches({ 'web/src/api/x.ts': typeImport, 'shared/kit/src/thing.ts': type })).toEqual([
    'web-imports-contracts-only',
  ])
  expect(
    await breaches({ 'services/a/src/x.ts': importing('./rules/thing.ts'), 'services/a/src/rules/thing.ts': thing }),
  ).toEqual([])
})
