import { logoutAdmin as operation } from '@watchline/contracts/auth'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { endSession, presentSession, removedSessionCookies } from '../login-sessions.ts'

export const logoutAdmin = defineRoute(operation, async (input, ctx: AuthContext) => {
  const sid = presentSession(ctx, input)
  if (sid) await endSession(ctx, sid, 'signed_out')
  return new Reply({ success: true as const }, { cookies: removedSessionCookies(ctx) })
})
