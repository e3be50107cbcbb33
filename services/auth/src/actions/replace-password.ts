import type { AuthContext } from '../context.ts'
import type { Actor } from '../store/audit.ts'
import type { Session } from '../store/sessions.ts'
import { endSessionsOf } from './end-session.ts'

interface PasswordReplacement {
  admin: Actor & { email: string }
  /** The current and the new password hash. */
  from: string
  to: string
  /** The login session to keep; absent for none. */
  keepSid?: string
  by: Actor | 'operator'
}

/**
 * Replaces an administrator's password and ends their other login sessions in one transaction.
 * Returns the ended sessions, or undefined if the stored password hash is not `from`.
 */
export function replacePassword(
  deps: Pick<AuthContext, 'outbox' | 'credentials' | 'sessions' | 'audit' | 'clock'>,
  { admin, from, to, keepSid, by }: PasswordReplacement,
): Promise<Session[] | undefined> {
  return deps.outbox.transaction(async tx => {
    if (!(await deps.credentials.replace(admin.id, { from, to }, tx.session))) return undefined
    const ended = await endSessionsOf(deps, tx, admin.id, keepSid)
    await deps.audit.add(
      {
        at: deps.clock.now(),
        action: 'password_changed',
        by,
        subject: admin,
        before: {},
        after: ended.length > 0 ? { ended_sessions: ended.length } : {},
      },
      tx.session,
    )
    return ended
  })
}
