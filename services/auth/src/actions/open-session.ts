import { limits } from '@watchline/contracts/limits'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { newId } from '@watchline/kit/mongo/database'
import type { AuthContext } from '../context.ts'
import type { Session } from '../store/sessions.ts'
import { clearSessionState, type EndSessionDeps, endSessionIn } from './end-session.ts'

type Deps = EndSessionDeps & Pick<AuthContext, 'outbox' | 'live' | 'log'>

interface SessionOpening {
  personId: string
  /** The id of the browser's previous session, which ends. */
  replacedSid: string | undefined
  /** Writes that belong to the same transaction. */
  alsoWrite?: (tx: Transaction) => Promise<void>
}

/** Opens a login session for a person and ends the one that the browser had. */
export async function openSession(deps: Deps, { personId, replacedSid, alsoWrite }: SessionOpening): Promise<Session> {
  const now = deps.clock.now()
  const session: Session = { sid: newId(), personId, generation: 0, rotatedAt: now, createdAt: now }
  const ended = await deps.outbox.transaction(async tx => {
    const replaced = replacedSid ? await endSessionIn(deps, tx, replacedSid, 'replaced') : undefined
    await deps.sessions.insert(session, now + limits.refreshTokenTtlS * 1_000, tx.session)
    tx.publish('session.started', session.sid, {
      sid: session.sid,
      person_id: personId,
      started_at: new Date(now).toISOString(),
    })
    await alsoWrite?.(tx)
    return replaced
  })
  if (ended) await clearSessionState(deps, ended)
  return session
}
