import { createHash } from 'node:crypto'
import type { AuthContext } from '../context.ts'
import { type LogoutToken, logoutTokenMaxAgeMs } from '../rules/logout-token.ts'
import type { Session } from '../store/sessions.ts'
import { clearSessionState, type EndSessionDeps, endSessionIn, endSessionsOf } from './end-session.ts'

type Deps = EndSessionDeps & Pick<AuthContext, 'outbox' | 'people' | 'signInCodes' | 'logoutTokens' | 'live' | 'log'>

interface ProviderSignOut {
  provider: { id: string; accountIssuer: string }
  token: LogoutToken
}

/**
 * Ends the login sessions that a provider reports as signed out: those of its session, or all of
 * the account. With both in the token, sessions without a known session at the provider end as
 * well: they may be the one. Rejects with a duplicate key error if the token was used before.
 */
export async function endProviderSessions(deps: Deps, { provider, token }: ProviderSignOut): Promise<void> {
  const { sid, subject } = token
  const now = deps.clock.now()
  const ended = await deps.outbox.transaction(async tx => {
    await deps.logoutTokens.insert(tokenKey(provider.id, token), now + 3 * logoutTokenMaxAgeMs, tx.session)
    const person =
      subject === undefined
        ? undefined
        : await deps.people.byIdentity({ issuer: provider.accountIssuer, subject }, tx.session)
    if (sid === undefined) {
      if (!person) return []
      await deps.signInCodes.removeOf(person.id, tx.session)
      return endSessionsOf(deps, tx, person.id)
    }
    await deps.signInCodes.removeOfProvider({ id: provider.id, sid }, tx.session)
    if (person) await deps.signInCodes.removeWithoutProviderSid(person.id, tx.session)
    const sids = [
      ...(await deps.sessions.findIdsOfProvider({ id: provider.id, sid }, now, tx.session)),
      ...(person ? await deps.sessions.findIdsWithoutProviderSid(person.id, now, tx.session) : []),
    ]
    const sessions: Session[] = []
    for (const endedSid of sids) {
      const session = await endSessionIn(deps, tx, endedSid, 'signed_out')
      if (session) sessions.push(session)
    }
    return sessions
  })
  await Promise.all(ended.map(session => clearSessionState(deps, session)))
}

/** Of a fixed length, because the provider chooses the id. */
function tokenKey(providerId: string, { id }: LogoutToken): string {
  return createHash('sha256').update(`${providerId}:${id}`).digest('base64url')
}
