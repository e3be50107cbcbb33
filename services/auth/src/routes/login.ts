import { login as operation } from '@watchline/contracts/auth'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { openSession, readSessionId } from '../actions/end-session.ts'
import type { AuthContext } from '../context.ts'
import { presentUser } from './presenters.ts'

export const login = defineRoute(operation, async ({ body, cookies, header }, ctx: AuthContext) => {
  const { code, binding, cookie } = ctx.signInCookies.redeem(body.session_id, cookies)
  const now = ctx.clock.now()
  const personId = await ctx.signInCodes.redeem(code, binding, now)
  const person = personId && (await ctx.people.byId(personId))
  if (!person) fail('invalid_session_id')

  // Signing in again in the browser that monitors is no conflict: the session there is replaced.
  const present = readSessionId(ctx, { cookies, header })
  const lock = await ctx.live.locks.get(person.id, now)
  if (lock && lock.sid !== present) fail('monitoring_conflict', { retryAfterS: (lock.expiresAt - now) / 1_000 })

  const session = await openSession(ctx, person, present)
  return new Reply({ user: presentUser(person) }, { cookies: [...session, cookie] })
})
