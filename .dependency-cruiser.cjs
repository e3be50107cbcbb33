// The walls between folders (docs: CONTRIBUTING.md, "The house"). A breach is an error of `make check`.
const wall = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

module.exports = {
  forbidden: [
    wall(
      'no-cycles',
      'A cycle is two modules that are really one.',
      { pathNot: '^web/' },
      { circular: true, dependencyTypesNot: ['type-only'], viaOnly: { dependencyTypesNot: ['type-only'] } },
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
