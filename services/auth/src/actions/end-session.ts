import type { EventData } from '@watchline/contracts/events'
import { limits } from '@watchline/contracts/limits'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { AuthContext } from '../context.ts'
import type { Session } from '../store/sessions.ts'

type EndReason = EventData<'session.revoked'>['reason']

export type EndSessionDeps = Pick<AuthContext, 'sessions' | 'clock'>

/** Ends a login session on every replica at once; undefined if it has ended before. */
export async function endSession(
  deps: EndSessionDeps & Pick<AuthContext, 'outbox' | 'live' | 'log'>,
  sid: string,
  reason: EndReason,
): Promise<Session | undefined> {
  const ended = await deps.outbox.transaction(tx => endSessionIn(deps, tx, sid, reason))
  if (ended) await clearSessionState(deps, ended)
  return ended
}

/**
 * Ends all login sessions of a person, except that with the id `except`, in the caller's
 * transaction. After the commit the caller clears the state of those it returns, see
 * {@link clearSessionState}.
 */
export async function endSessionsOf(
  deps: EndSessionDeps,
  tx: Transaction,
  personId: string,
  except?: string,
): Promise<Session[]> {
  const ended: Session[] = []
  for (const sid of await deps.sessions.findActiveIds(personId, { except }, deps.clock.now(), tx.session)) {
    const session = await endSessionIn(deps, tx, sid, 'replaced')
    if (session) ended.push(session)
  }
  return ended
}

/** Ends a session in the caller's transaction; undefined if it has ended before. */
export async function endSessionIn(
  deps: EndSessionDeps,
  tx: Transaction,
  sid: string,
  reason: EndReason,
): Promise<Session | undefined> {
  const ended = await deps.sessions.end(sid, deps.clock.now(), tx.session)
  if (ended) tx.publish('session.revoked', sid, { sid, person_id: ended.personId, reason })
  return ended
}

/**
 * Revokes the access token of an ended session, and the addresses of files that it got. If the live
 * store fails, the `session.revoked` event still reaches every running gateway. By the same event
 * playback-session releases the session's monitoring lock and removes its presence.
 */
export async function clearSessionState(
  { live, clock, log }: Pick<AuthContext, 'live' | 'clock' | 'log'>,
  { sid }: Session,
): Promise<void> {
  try {
    await live.revocations.add(sid, clock.now() + limits.revocationS * 1_000)
  } catch (error) {
    log.warn({ err: error, sid }, 'session not revoked in the live store, the event still revokes it')
  }
}
