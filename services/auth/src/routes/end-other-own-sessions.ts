import { endOtherOwnSessions as operation } from '@watchline/contracts/auth'
import { defineRoute } from '@watchline/kit/http/route'
import { clearSessionState, endSessionsOf } from '../actions/end-session.ts'
import type { AuthContext } from '../context.ts'

export const endOtherOwnSessions = defineRoute(operation, async ({ person, sid }, ctx: AuthContext) => {
  const ended = await ctx.outbox.transaction(async tx => {
    // Otherwise a sign-in that is under way elsewhere would open a session afterwards.
    await ctx.signInCodes.removeOf(person.id, tx.session)
    return endSessionsOf(ctx, tx, person.id, sid)
  })
  await Promise.all(ended.map(session => clearSessionState(ctx, session)))
  return { success: true as const, ended_sessions: ended.length }
})
