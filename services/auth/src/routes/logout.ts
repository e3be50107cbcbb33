import { logout as operation } from '@watchline/contracts/auth'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { endSession } from '../actions/end-session.ts'
import type { AuthContext } from '../context.ts'
import { readSessionId, removeSessionCookies } from './cookies/session-cookies.ts'

export const logout = defineRoute(operation, async (input, ctx: AuthContext) => {
  const sid = readSessionId(ctx, input)
  if (sid) await endSession(ctx, sid, 'signed_out')
  return new Reply({ success: true as const }, { cookies: removeSessionCookies(ctx) })
})
