import { networkOf } from '@watchline/kit/http/network'
import type { AuthContext } from '../context.ts'
import type { PersonRecord } from '../store/person-model.ts'
import type { Session } from '../store/sessions.ts'
import { clearSessionState, endSessionIn } from './end-session.ts'

type Deps = Pick<AuthContext, 'sessions' | 'clock' | 'outbox' | 'live' | 'log' | 'audit' | 'security'>

interface TokenReuse {
  session: Session
  person: PersonRecord
  /** The address that the spent token came from. */
  address: string
}

/**
 * Ends a session whose spent refresh token was used again: a copy of it exists. The audit log and
 * the person learn of it. Does nothing if the session has ended before.
 */
export async function endReusedSession(deps: Deps, { session, person, address }: TokenReuse): Promise<void> {
  const { sid, device } = session
  const network = networkOf(address)
  const ended = await deps.outbox.transaction(async tx => {
    const endedSession = await endSessionIn(deps, tx, sid, 'token_reused')
    if (!endedSession) return undefined
    tx.publish('session.token_reused', sid, { sid, person_id: person.id, network })
    await deps.audit.add(
      {
        at: deps.clock.now(),
        action: 'refresh_token_reused',
        by: null,
        subject: person,
        before: {},
        after: { device, ended_sessions: 1 },
        address,
      },
      tx.session,
    )
    return endedSession
  })
  if (!ended) return
  deps.security.record({ code: 'refresh_token_reused', personId: person.id, network })
  await clearSessionState(deps, ended)
}
