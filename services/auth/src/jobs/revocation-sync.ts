import { limits } from '@watchline/contracts/limits'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import type { AuthContext } from '../context.ts'

const everyMs = 60_000

/**
 * Tells the live store again which sessions have ended while their access tokens may still be good: it may have forgotten, and in
 * the all-in-one process it does with every start. MongoDB is what remembers.
 */
export function createRevocationSync(ctx: AuthContext): Lifecycle {
  let timer: NodeJS.Timeout | undefined

  async function keep() {
    const now = ctx.clock.now()
    const ttlMs = limits.accessTokenTtlS * 1_000
    for (const { sid, endedAt } of await ctx.sessions.endedSince(now - ttlMs))
      await ctx.live.revocations.add(sid, endedAt + ttlMs)
  }

  return {
    start: async () => {
      await keep().catch(error => ctx.log.warn({ err: error }, 'ended sessions are not yet known to the live store'))
      timer = setInterval(() => {
        keep().catch(error => ctx.log.warn({ err: error }, 'ended sessions could not be told to the live store'))
      }, everyMs)
      timer.unref()
    },
    stop: () => clearInterval(timer),
  }
}
