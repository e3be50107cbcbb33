import { createHash } from 'node:crypto'
import { limits } from '@watchline/contracts/limits'
import { fail } from '@watchline/kit/core/errors'
import type { AuthContext } from '../context.ts'

export interface LoginAttempts {
  /** The password was right: what was tried before counts no longer. */
  clear(): Promise<void>
}

/**
 * Counts a try at an account's password, by account and by address, and refuses it when there were too many. To be called before
 * the password is looked at, so that many tries at once are no way around the limit.
 */
export async function countLoginAttempt(
  ctx: AuthContext,
  { email, address }: { email: string; address: string },
): Promise<LoginAttempts> {
  const byAddress = `login:address:${address}`
  const byAccount = `login:account:${hashed(email)}`
  await hit(ctx, byAddress, limits.loginTriesPerAddress)
  await hit(ctx, byAccount, limits.loginTriesPerAccount)
  return {
    clear: async () => {
      await Promise.all([ctx.live.counters.clear(byAccount), ctx.live.counters.clear(byAddress)])
    },
  }
}

async function hit({ live, clock }: AuthContext, key: string, most: number): Promise<void> {
  const now = clock.now()
  const { count, resetsAt } = await live.counters.hit(key, limits.loginTriesWindowMs, now)
  if (count > most) fail('too_many', { retryAfterS: (resetsAt - now) / 1_000 })
}

/** E-mail addresses do not leave for the live store. */
function hashed(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
