/*
 * Breaks the product's processes, which preload this module (node --import). It replaces the
 * transactional outbox by one that publishes after the commit, waits for nothing and stores
 * nothing. `make faults` must detect it; see docs/reliability.md.
 */
import { registerHooks } from 'node:module'

const outbox = '/shared/kit/src/messaging/outbox.ts'
const replacement = new URL('outbox-publish-and-forget.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context)
    return resolved.url.endsWith(outbox) && context.parentURL !== replacement
      ? { ...resolved, url: replacement }
      : resolved
  },
})
