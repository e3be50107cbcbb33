// The walls between folders (docs: CONTRIBUTING.md, "The house"). A breach is an error of `make check`.
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
    wall(
      'no-cycles',
      'A cycle is two modules that are really one.',
      { pathNot: '^web/' },
      { circular: true, dependencyTypesNot: ['type-only'], viaOnly: { dependencyTypesNot: ['type-only'] } },
    ),
    wall(
      'no-cycles-of-types',
      'A cycle is two modules that are really one. Type-only imports count.',
      { path: '^(shared|tools|lab|gateway)/' },
      { circular: true },
    ),
    wall(
      'contracts-stand-alone',
      'Contracts do no I/O and know no Node: the web imports them.',
      { path: '^shared/contracts/src' },
      { pathNot: '^shared/contracts/src|^node_modules/zod/|^shared/contracts/node_modules/zod/' },
    ),
    wall(
      'kit-knows-no-service',
      'The kit is what services stand on.',
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
      'Identity builds on the kit, so the kit takes what it needs of identity as functions.',
      { path: '^shared/kit/src/' },
      { path: '^shared/(identity|testing)/' },
    ),
    wall(
      'testing-is-for-tests',
      'Test support never gets into an image: only tests and the lab import it.',
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
      'Only playback-session, which owns presence, and the gateway, which sees every call, may write presence.',
      { pathNot: '^(services/playback-session|gateway)/|^shared/(kit|testing)/|^lab/|/test/' },
      { path: '^shared/kit/src/live/presence-(writer|recorder)' },
    ),
    wall(
      'web-speaks-by-contract',
      'The web shares the contracts with the servers and nothing else.',
      { path: '^web/src' },
      { path: '^(shared/kit|services|gateway|tools|lab|e2e)/' },
    ),
    wall(
      'services-are-strangers',
      'A service never imports another, the gateway or the web.',
      { path: '^services/([^/]+)/' },
      { path: '^(services/(?!$1/)|gateway/|web/|e2e/)' },
    ),
    wall(
      'gateway-alone',
      'The gateway never imports a service or the web.',
      { path: '^gateway/' },
      { path: '^(services|web|e2e)/' },
    ),
    wall(
      'rules-are-pure',
      'Rules know the contracts and nothing that does I/O.',
      { path: '^services/[^/]+/src/rules' },
      { pathNot: '^services/[^/]+/src/rules|^shared/contracts/|^node_modules/zod' },
    ),
    wall(
      'features-are-strangers',
      'Features meet in app/, never each other.',
      { path: '^web/src/features/([^/]+)/' },
      { path: '^web/src/(features/(?!$1/)|app/)' },
    ),
    wall(
      'ui-knows-no-feature',
      'ui/ and api/ are below the features.',
      { path: '^web/src/(ui|api)/' },
      { path: '^web/src/(features|app)/' },
    ),
    wall(
      'product-needs-no-tools',
      'What runs in production never needs the tools of development; tests may (the stand-in for YouTube).',
      { path: '^(services/[^/]+|gateway|shared/[^/]+|web)/src/' },
      { path: '^(tools|lab|e2e)/' },
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
