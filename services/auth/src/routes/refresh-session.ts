import { refreshSession as operation } from '@watchline/contracts/auth'
import { limits } from '@watchline/contracts/limits'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { endSession } from '../actions/end-session.ts'
import type { AuthContext } from '../context.ts'
import type { Session } from '../store/sessions.ts'
import { sessionCookies } from './cookies/session-cookies.ts'

export const refreshSession = defineRoute(operation, async ({ cookies }, ctx: AuthContext) => {
  const token = ctx.refreshTokens.read(cookies[ctx.cookies.refresh] ?? '')
  const session = token && (await rotateSession(ctx, token))
  const person = session && (await ctx.people.byId(session.personId))
  if (!person) fail('no_session')
  return new Reply({ success: true as const }, { cookies: sessionCookies(ctx, session, person) })
})

/**
 * The session's next generation. A token spent within the grace period gets the same successor,
 * because racing tabs are one client. An older one has been copied, so the session ends for both
 * clients.
 */
async function rotateSession(
  ctx: AuthContext,
  { sid, generation }: { sid: string; generation: number },
): Promise<Session | undefined> {
  const now = ctx.clock.now()
  const rotated = await ctx.sessions.rotate(sid, generation, now, now + limits.refreshTokenTtlS * 1_000)
  if (rotated) return rotated
  const session = await ctx.sessions.find(sid, now)
  if (!session || generation >= session.generation) return undefined
  if (generation === session.generation - 1 && now - session.rotatedAt <= limits.refreshGraceMs) return session
  await endSession(ctx, sid, 'token_reused')
  return undefined
}
