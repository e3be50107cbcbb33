import { networkOf } from '@watchline/kit/http/network'
import type { AuthContext } from '../context.ts'
import { providerCheckMs, type Session } from '../store/sessions.ts'
import { endSession } from './end-session.ts'

type Deps = Pick<
  AuthContext,
  'sessions' | 'providers' | 'providerTokenBox' | 'clock' | 'outbox' | 'live' | 'log' | 'security'
>

/** The time until a provider that does not answer is asked again. */
const repeatMs = 3_600_000

/**
 * Asks the provider once a day whether a session's account may still sign in, for providers that
 * give a refresh token. Ends the session and returns false if the provider refuses. A provider that
 * does not answer ends nothing.
 */
export async function checkProviderAccount(deps: Deps, session: Session, address: string): Promise<boolean> {
  const { sid, personId, provider, providerCheck } = session
  const now = deps.clock.now()
  if (!provider || !providerCheck || providerCheck.at > now) return true
  // Two calls with one refresh token would look like theft to the provider.
  if (!(await deps.sessions.claimProviderCheck(sid, providerCheck.at, now + providerCheckMs))) return true
  const client = deps.providers.find(provider.id)
  const token = deps.providerTokenBox.open(providerCheck.sealedToken, personId)
  if (!client || token === undefined) return true
  const answer = await client.renewAccount(token)
  if (answer === 'unavailable') {
    await deps.sessions.postponeProviderCheck(sid, now + repeatMs)
    return true
  }
  if (answer === 'refused') {
    deps.security.record({ code: 'provider_account_refused', personId, network: networkOf(address) })
    await endSession(deps, sid, 'signed_out')
    return false
  }
  const sealedToken = deps.providerTokenBox.seal(answer.refreshToken, personId)
  await deps.sessions.saveProviderCheck(sid, { sealedToken, at: now + providerCheckMs })
  return true
}
