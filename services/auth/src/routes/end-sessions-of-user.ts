import { endSessionsOfUser as operation } from '@watchline/contracts/organisation'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { clearSessionState, endSessionsOf } from '../actions/end-session.ts'
import type { AuthContext } from '../context.ts'

export const endSessionsOfUser = defineRoute(operation, async ({ params, person: by }, ctx: AuthContext) => {
  const ended = await ctx.outbox.transaction(async tx => {
    const subject = await ctx.people.byId(params.id, tx.session)
    if (!subject) fail('not_found')
    if (subject.id === by.id)
      fail('conflict', { detail: 'End your own sessions under “What is recorded about me”, or sign out.' })
    await ctx.signInCodes.removeOf(subject.id, tx.session)
    const sessions = await endSessionsOf(ctx, tx, subject.id)
    await ctx.audit.add(
      {
        at: ctx.clock.now(),
        action: 'signed_out_everywhere',
        by,
        subject,
        before: {},
        after: { ended_sessions: sessions.length },
      },
      tx.session,
    )
    return sessions
  })
  await Promise.all(ended.map(session => clearSessionState(ctx, session)))
  return { success: true as const, ended_sessions: ended.length }
})
