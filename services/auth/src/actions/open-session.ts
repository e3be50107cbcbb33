import { limits } from '@watchline/contracts/limits'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { newId } from '@watchline/kit/mongo/database'
import type { AuthContext } from '../context.ts'
import { deviceName } from '../rules/device-name.ts'
import { expiryOf, lifetimeOf } from '../rules/session-lifetime.ts'
import type { PersonRecord } from '../store/person-model.ts'
import { providerCheckMs, type Session, type SessionProvider } from '../store/sessions.ts'
import { clearSessionState, type EndSessionDeps, endSessionIn, endSessionsOf } from './end-session.ts'

type Deps = EndSessionDeps & Pick<AuthContext, 'outbox' | 'live' | 'log' | 'config'>

interface SessionOpening {
  person: PersonRecord
  /** The id of the browser's previous session, which ends. */
  replacedSid: string | undefined
  userAgent: string | undefined
  address: string
  /** Absent for a sign-in with a password. */
  provider?: SessionProvider
  /** The provider's refresh token, encrypted. */
  sealedToken?: string | undefined
  /** The provider's ID token, encrypted. */
  sealedIdToken?: string | undefined
  /** Ends all other sessions of the person, too. */
  endOtherSessions?: boolean
  /** Writes that belong to the same transaction. */
  alsoWrite?: (tx: Transaction, endedSessions: number) => Promise<void>
}

/**
 * Opens a login session for a person and ends the one that the browser had. If the person has too
 * many sessions, the oldest end.
 */
export async function openSession(
  deps: Deps,
  {
    person,
    replacedSid,
    userAgent,
    address,
    provider = null,
    sealedToken,
    sealedIdToken,
    endOtherSessions: endsOthers,
    alsoWrite,
  }: SessionOpening,
): Promise<{ session: Session; endedSessions: number }> {
  const now = deps.clock.now()
  const times = { rotatedAt: now, createdAt: now, usedAt: now }
  const session: Session = {
    sid: newId(),
    personId: person.id,
    generation: 0,
    ...times,
    expiresAt: expiryOf(times, lifetimeOf(person.role, deps.config.sessionLifetimes)),
    device: deviceName(userAgent),
    address: address || null,
    provider,
    ...(sealedIdToken && { sealedIdToken }),
    ...(sealedToken && { providerCheck: { sealedToken, at: now + providerCheckMs } }),
  }
  const { ended, endedSessions } = await deps.outbox.transaction(async tx => {
    const replaced = replacedSid ? await endSessionIn(deps, tx, replacedSid, 'replaced') : undefined
    const otherSessions = endsOthers ? await endSessionsOf(deps, tx, person.id) : []
    const surplus = await endSurplusSessions(deps, tx, person.id)
    await deps.sessions.insert(session, tx.session)
    tx.publish('session.started', session.sid, {
      sid: session.sid,
      person_id: person.id,
      started_at: new Date(now).toISOString(),
    })
    await alsoWrite?.(tx, otherSessions.length)
    return {
      ended: [...(replaced ? [replaced] : []), ...otherSessions, ...surplus],
      endedSessions: otherSessions.length,
    }
  })
  await Promise.all(ended.map(endedSession => clearSessionState(deps, endedSession)))
  return { session, endedSessions }
}

/** Ends the oldest sessions, so that one more makes `limits.sessionsPerPerson`. */
async function endSurplusSessions(deps: Deps, tx: Transaction, personId: string): Promise<Session[]> {
  const surplus = await deps.sessions.listActive(personId, deps.clock.now(), {
    skip: limits.sessionsPerPerson - 1,
    limit: limits.sessionsPerPerson,
    transaction: tx.session,
  })
  for (const { sid } of surplus) await endSessionIn(deps, tx, sid, 'replaced')
  return surplus
}
