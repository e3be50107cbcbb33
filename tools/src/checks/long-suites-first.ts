import { createRequire } from 'node:module'

// The package's types describe its CommonJS module, so it is loaded as such.
const { default: Sequencer } = createRequire(import.meta.url)(
  '@jest/test-sequencer',
) as typeof import('@jest/test-sequencer')

/**
 * Suites that start whole systems. One that starts last would keep one core busy and the others
 * idle.
 */
const longSuites = /\/(e2e|lab|tools\/test\/(system|backup|operator|observability|up))\/|crediting-oracle|\/kill\.test/

/**
 * Jest's order of suites, but the long ones first. Jest itself knows durations only after a first
 * run.
 */
export default class LongSuitesFirst extends Sequencer {
  override async sort(suites: Parameters<InstanceType<typeof Sequencer>['sort']>[0]) {
    const sorted = await super.sort(suites)
    return [...sorted.filter(isLong), ...sorted.filter(suite => !isLong(suite))]
  }
}

function isLong({ path }: { path: string }): boolean {
  return longSuites.test(path)
}
