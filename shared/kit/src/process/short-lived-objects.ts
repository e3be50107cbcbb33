import { setFlagsFromString } from 'node:v8'

/**
 * Makes V8 allocate every object among the young ones. By default it learns from the code which
 * objects live long, and allocates them among the old ones from then on. A burst of requests, as at
 * the start of a working day, teaches it that the objects of a request do. Later ones then stay in
 * memory, with all that they refer to, until a full garbage collection: collections of young
 * objects took 25 ms instead of 2 ms several times a second, for as long as the process ran
 * (docs/performance.md, V8's flag `allocation_site_pretenuring`). To be called at the start of a
 * process, before V8 has learned anything.
 */
export function expectShortLivedObjects(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}
