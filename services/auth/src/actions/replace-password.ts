import type { AuthContext } from '../context.ts'
import type { Actor } from '../store/audit.ts'
import type { Session } from '../store/sessions.ts'
import { endOtherSessions } from './end-session.ts'

interface PasswordReplacement {
  admin: Actor & { email: string }
  /** The hashes. */
  from: string
  to: string
  /** The login session it is done in, which stays. */
  keep?: string
  by: Actor | null
}

/**
 * Gives an administrator another password and ends their login sessions but one, all at once. Answers the sessions that ended;
 * undefined when the password is not the one of `from` any more.
 */
export function replacePassword(
  ctx: Pick<AuthContext, 'outbox' | 'credentials' | 'sessions' | 'audit' | 'clock'>,
  { admin, from, to, keep, by }: PasswordReplacement,
): Promise<Session[] | undefined> {
  return ctx.outbox.transaction(async tx => {
    if (!(await ctx.credentials.change(admin.id, { from, to }, tx.session))) return undefined
    const ended = await endOtherSessions(ctx, tx, { personId: admin.id, keep })
    await ctx.audit.add(
      {
        at: ctx.clock.now(),
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
