// The walls between folders (CONTRIBUTING.md, "Walls"). A forbidden import is an error of `make
// check`.
const wall = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

/** A folder of the kit imports itself and the named folders, and no other folder of the kit. */
const layer = (folder, comment, ...below) =>
  wall(
    `kit-layer-${folder}`,
    comment,
    { path: `^shared/kit/src/${folder}/` },
    { path: `^shared/kit/src/(?!(${[folder, ...below].join('|')})/)` },
  )

module.exports = {
  forbidden: [
    wall('no-cycles', 'Modules in a cycle cannot be understood apart. Imports of types count.', {}, { circular: true }),
    wall(
      'contracts-stand-alone',
      'The web imports the contracts, so they do no I/O and use no Node.',
      { path: '^shared/contracts/src' },
      { pathNot: '^shared/contracts/src|^node_modules/zod/|^shared/contracts/node_modules/zod/' },
    ),
    wall(
      'kit-knows-no-service',
      'Services are built on the kit, never the other way round.',
      { path: '^shared/kit/' },
      { path: '^(services|gateway|web|tools|lab|e2e)/' },
    ),
    layer('core', 'Core needs nothing else of the kit.'),
    layer('observability', 'Logs, metrics and traces describe the layers above without knowing them.', 'core'),
    layer('mongo', 'MongoDB helpers know no event and no request.', 'core', 'observability'),
    layer('live', 'The live store knows no event and no request.', 'core', 'observability'),
    layer('messaging', 'Messaging knows no HTTP.', 'core', 'observability', 'mongo', 'live'),
    layer('http', 'HTTP knows no process.', 'core', 'observability', 'mongo', 'live', 'messaging'),
    wall(
      'kit-knows-no-identity',
      'Identity builds on the kit, so the kit receives identity as functions.',
      { path: '^shared/kit/src/' },
      { path: '^shared/(identity|testing)/' },
    ),
    wall(
      'testing-is-for-tests',
      'Only tests, the lab and e2e import test support, because no image contains it.',
      { path: '^(services/[^/]+|gateway|shared/(?!testing/)[^/]+|web|tools)/src/' },
      { path: '^shared/testing/' },
    ),
    wall(
      'playback-session-writes-locks',
      'Only the owner of monitoring locks may write them; other services read them.',
      { pathNot: '^services/playback-session/|^shared/(kit|testing)/|^lab/|/test/' },
      { path: '^shared/kit/src/live/monitoring-lock-writer' },
    ),
    wall(
      'presence-has-two-writers',
      'Only playback-session (owns presence) and the gateway (sees every call) may write presence.',
      { pathNot: '^(services/playback-session|gateway)/|^shared/(kit|testing)/|^lab/|/test/' },
      { path: '^shared/kit/src/live/presence-(writer|recorder)' },
    ),
    wall(
      'processes-wire-the-live-store',
      'An adapter returns both writers, so only the start of a process creates one. Others receive a LiveStore.',
      { pathNot: '^shared/(kit|testing)/|^tools/src/(start|demo|operator)/|^lab/|/test/' },
      { path: '^shared/kit/src/live/(live-store-adapter|memory-live-store|redis-)' },
    ),
    wall(
      'web-imports-contracts-only',
      'The web shares only the contracts with the servers.',
      { path: '^web/src' },
      { path: '^(shared/(?!contracts/)[^/]+|services|gateway|tools|lab|e2e)/' },
    ),
    wall(
      'services-are-independent',
      'A service never imports another, the gateway or the web.',
      { path: '^services/([^/]+)/' },
      { path: '^(services/(?!$1/)|gateway/|web/|e2e/)' },
    ),
    wall(
      'gateway-is-independent',
      'The gateway never imports a service or the web.',
      { path: '^gateway/' },
      { path: '^(services|web|e2e)/' },
    ),
    wall(
      'rules-are-pure',
      'Rules import contracts and calendar calculations only, so they do no I/O.',
      { path: '^services/[^/]+/src/rules' },
      {
        pathNot:
          '^services/[^/]+/src/rules|^shared/contracts/|^shared/kit/src/core/(calendar|recurrence)[.]|^node_modules/zod',
      },
    ),
    wall(
      'entry-points-are-independent',
      'Routes, consumers and jobs share actions, and never import each other.',
      { path: '^services/([^/]+)/src/(routes|consumers|jobs)/' },
      { path: '^services/$1/src/((?!$2/)(routes|consumers|jobs)/|(main|service)[.]ts)' },
    ),
    wall(
      'actions-know-no-entry-point',
      'Routes, consumers and jobs call actions, never the other way round.',
      { path: '^services/([^/]+)/src/actions/' },
      { path: '^services/$1/src/((routes|consumers|jobs)/|(main|service)[.]ts)' },
    ),
    wall(
      'stores-and-clients-know-no-action',
      'Actions use stores and clients, never the other way round.',
      { path: '^services/([^/]+)/src/(store|clients)/' },
      { path: '^services/$1/src/((routes|consumers|jobs|actions)/|(main|service|context)[.]ts)' },
    ),
    wall(
      'features-are-independent',
      'Features never import each other; app/ composes them.',
      { path: '^web/src/features/([^/]+)/' },
      { path: '^web/src/(features/(?!$1/)|app/)' },
    ),
    wall(
      'ui-knows-no-feature',
      'Features are built on ui/, api/ and outbox/, never the other way round.',
      { path: '^web/src/(ui|api|outbox)/' },
      { path: '^web/src/(features|app)/' },
    ),
    wall(
      'product-needs-no-tools',
      'Product code never imports development tools. Tests may, for example the stand-in for YouTube.',
      { path: '^(services/[^/]+|gateway|shared/[^/]+|web)/src/' },
      { path: '^(tools|lab|e2e)/' },
    ),
    wall(
      'experiments-are-independent',
      'Experiments share lab/src/shared, and never import each other.',
      { path: '^lab/src/([^/]+)/' },
      { path: '^lab/src/(?!$1/|shared/)' },
    ),
    wall('product-needs-no-tests', 'Product code never imports tests.', { path: '/src/' }, { path: '/test/' }),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/|^data/|\\.cache/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.json'],
    },
  },
}
