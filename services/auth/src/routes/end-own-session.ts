import { endOwnSession as operation } from '@watchline/contracts/auth'
import { limits } from '@watchline/contracts/limits'
import { publicSessionId } from '@watchline/identity/public-session-id'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { endSession } from '../actions/end-session.ts'
import type { AuthContext } from '../context.ts'

export const endOwnSession = defineRoute(operation, async ({ params, person }, ctx: AuthContext) => {
  const own = await ctx.sessions.listActive(person.id, ctx.clock.now(), { limit: limits.pageMax })
  const session = own.find(({ sid }) => publicSessionId(sid) === params.id)
  if (!session) fail('not_found')
  await endSession(ctx, session.sid, 'signed_out')
  return { success: true as const }
})
