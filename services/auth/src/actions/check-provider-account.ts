import { networkOf } from '@watchline/kit/http/network'
import type { IdentityProvider } from '../clients/identity-provider.ts'
import type { AuthContext } from '../context.ts'
import { providerCheckMs, type Session } from '../store/sessions.ts'
import { endSession } from './end-session.ts'

type Deps = Pick<
  AuthContext,
  'sessions' | 'people' | 'providers' | 'providerTokenBox' | 'clock' | 'outbox' | 'live' | 'log' | 'security'
>

/** The time until a provider that does not answer is asked again. */
const repeatMs = 3_600_000

/**
 * Ends the session and returns false if its provider is no longer configured, or if it says that
 * the account may not sign in any more. A provider that gives a refresh token is asked once a day.
 * One that does not answer ends nothing.
 */
export async function checkProviderAccount(deps: Deps, session: Session, address: string): Promise<boolean> {
  const { sid, personId, provider, providerCheck } = session
  const now = deps.clock.now()
  if (!provider) return true
  const client = deps.providers.find(provider.id) ?? (await findRenamedProvider(deps, personId))
  if (!client) {
    deps.log.info({ sid, provider: provider.id }, 'sign-in provider no longer configured, session ended')
    await endSession(deps, sid, 'signed_out')
    return false
  }
  if (!providerCheck || providerCheck.at > now) return true
  // Two calls with one refresh token would look like theft to the provider.
  if (!(await deps.sessions.claimProviderCheck(sid, providerCheck.at, now + providerCheckMs))) return true
  const token = deps.providerTokenBox.open(providerCheck.sealedToken, personId)
  if (token === undefined) return true
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

/** The provider of the person's account, if it has another id in the settings since the sign-in. */
async function findRenamedProvider(
  { providers, people }: Pick<Deps, 'providers' | 'people'>,
  personId: string,
): Promise<IdentityProvider | undefined> {
  const issuer = await people.issuerOf(personId)
  return issuer === undefined ? undefined : providers.findByAccountIssuer(issuer)
}
