import { createHash } from 'node:crypto'
import { limits } from '@watchline/contracts/limits'
import { fail } from '@watchline/kit/core/errors'
import type { AuthContext } from '../context.ts'

type Deps = Pick<AuthContext, 'live' | 'clock'>

export interface LoginAttempts {
  /** Resets the counts, after a correct password. */
  clear(): Promise<void>
}

/**
 * Rate limit of attempts with a password or setup token, for each account and each address. Call it
 * before the secret is verified, so that concurrent attempts count as well. `account` is an email
 * address, or another name for what the secret opens.
 */
export async function countLoginAttempt(
  deps: Deps,
  { account, address }: { account: string; address: string },
): Promise<LoginAttempts> {
  const addressKey = `login:address:${address}`
  const accountKey = `login:account:${hashAccount(account)}`
  await countAttempt(deps, addressKey, limits.loginAttemptsPerAddress)
  await countAttempt(deps, accountKey, limits.loginAttemptsPerAccount)
  return {
    clear: async () => {
      await Promise.all([deps.live.counters.clear(accountKey), deps.live.counters.clear(addressKey)])
    },
  }
}

async function countAttempt({ live, clock }: Deps, key: string, maxAttempts: number): Promise<void> {
  const now = clock.now()
  const { count, resetsAt } = await live.counters.hit(key, limits.loginAttemptsWindowMs, now)
  if (count > maxAttempts) fail('too_many', { retryAfterS: (resetsAt - now) / 1_000 })
}

/** Email addresses never reach the live store. */
function hashAccount(account: string): string {
  return createHash('sha256').update(account).digest('hex')
}
