// Preloaded into the product's processes (node --import) to break them: the transactional outbox is replaced by one that publishes after
// the commit, waits for nothing and stores nothing. `make faults` must find out; see docs/reliability.md.
import { registerHooks } from 'node:module'

const outbox = '/shared/kit/src/messaging/outbox.ts'
const instead = new URL('outbox-publish-and-forget.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context)
    return resolved.url.endsWith(outbox) && context.parentURL !== instead ? { ...resolved, url: instead } : resolved
  },
})
