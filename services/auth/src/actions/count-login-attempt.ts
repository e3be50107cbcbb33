import { createHash } from 'node:crypto'
import { limits } from '@watchline/contracts/limits'
import { fail } from '@watchline/kit/core/errors'
import { networkOf } from '@watchline/kit/http/network'
import type { AuthContext } from '../context.ts'

type Deps = Pick<AuthContext, 'live' | 'clock'>

export interface LoginAttempts {
  /** Resets the counts, after a correct password. */
  clear(): Promise<void>
}

interface LoginAttempt {
  /** An email address, or another name for what the secret opens. */
  account: string
  address: string
  /** The id of a browser that has signed in to the account before, see `createDeviceCookies`. */
  deviceId?: string | undefined
  /**
   * The password was correct, and the second factor is tried: codes are short, so few are enough.
   */
  isSecondStep?: boolean
}

const growingWait = {
  freeAttempts: limits.loginFreeAttempts,
  firstWaitMs: limits.loginFirstWaitMs,
  longestWaitMs: limits.loginLongestWaitMs,
  forgetAfterMs: limits.loginWaitForgottenMs,
}

/**
 * Slows attempts with a password, token or second factor down. Call it before the secret is
 * verified, so that concurrent attempts count as well. Fails with `too_many`.
 *
 * A browser that has signed in before has a wait of its own and no other bound, so that guesses
 * from elsewhere never keep it out. All others have a wait for each account and network, and a
 * bound for each network. A bound for each account holds for all networks together.
 */
export async function countLoginAttempt(
  deps: Deps,
  { account, address, deviceId, isSecondStep = false }: LoginAttempt,
): Promise<LoginAttempts> {
  const accountId = hashAccount(account)
  const network = networkOf(address)
  const networkKey = `login:network:${network}`
  const accountKey = `login:account:${accountId}`
  const stepKey = `login:second-step:${accountId}`
  const passwordWaitKey =
    deviceId === undefined ? `login:wait:${accountId}:${network}` : `login:device:${accountId}:${deviceId}`
  // The wait after a password must not delay the code that follows it.
  const stepWaitKey = `${passwordWaitKey}:second-step`

  const now = deps.clock.now()
  // First, because an attempt that must wait may not use up the bounds of others.
  const waitKey = isSecondStep ? stepWaitKey : passwordWaitKey
  const waitMs = await deps.live.counters.countAttempt(waitKey, growingWait, now)
  if (waitMs > 0) fail('too_many', { retryAfterS: waitMs / 1_000 })
  if (deviceId === undefined) {
    await countInWindow(deps, networkKey, limits.loginAttemptsPerNetwork)
    if (isSecondStep) await countInWindow(deps, stepKey, limits.secondStepAttemptsPerAccount)
    else await countInWindow(deps, accountKey, limits.loginAttemptsPerAccount)
  }
  return {
    clear: async () => {
      const keys = [passwordWaitKey, accountKey]
      if (isSecondStep) keys.push(stepWaitKey, stepKey)
      if (deviceId === undefined) keys.push(networkKey)
      await Promise.all(keys.map(key => deps.live.counters.clear(key)))
    },
  }
}

async function countInWindow({ live, clock }: Deps, key: string, maxAttempts: number): Promise<void> {
  const now = clock.now()
  const { count, resetsAt } = await live.counters.countHit(key, limits.loginAttemptsWindowMs, now)
  if (count > maxAttempts) fail('too_many', { retryAfterS: (resetsAt - now) / 1_000 })
}

/** Email addresses never reach the live store. */
function hashAccount(account: string): string {
  return createHash('sha256').update(account).digest('hex')
}
