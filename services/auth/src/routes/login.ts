import { login as operation } from '@watchline/contracts/auth'
import type { ErrorCode } from '@watchline/contracts/errors'
import { fail, type ServiceErrorOptions } from '@watchline/kit/core/errors'
import { networkOf } from '@watchline/kit/http/network'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { findActiveLock } from '@watchline/kit/live/live-store'
import { openSession } from '../actions/open-session.ts'
import type { AuthContext } from '../context.ts'
import { readSessionId, sessionCookies } from './cookies/session-cookies.ts'
import { presentUser } from './presenters.ts'

export const login = defineRoute(operation, async ({ body, cookies, header, address }, ctx: AuthContext) => {
  const network = networkOf(address)
  function refuse(reason: ErrorCode, options: ServiceErrorOptions = {}): never {
    ctx.security.record({ code: 'sign_in_failed', personId: options.personId, network, reason })
    fail(reason, options)
  }
  const { code, binding, cookie } = ctx.signInCookies.readSessionId(body.session_id, cookies)
  const now = ctx.clock.now()
  const signIn = await ctx.signInCodes.redeem(code, binding, now)
  const person = signIn && (await ctx.people.byId(signIn.personId))
  if (!person) return refuse('invalid_session_id')

  // The lock of this browser's own session is no conflict, because the login replaces that session.
  const replacedSid = readSessionId(ctx, { cookies, header })
  // Without a new sign-in at the provider, a thief of a browser could put the owner out.
  const endOtherSessions = body.end_other_sessions === true && signIn.mayEndOtherSessions
  const lock = endOtherSessions ? undefined : await findActiveLock(ctx.live, person.id, now)
  if (lock && lock.sid !== replacedSid) {
    const retryAfterS = (lock.expiresAt - now) / 1_000
    return refuse('monitoring_conflict', { personId: person.id, retryAfterS })
  }

  const { session, endedSessions } = await openSession(ctx, {
    person,
    replacedSid,
    userAgent: header('user-agent'),
    address,
    provider: signIn.provider,
    sealedToken: signIn.sealedToken,
    sealedIdToken: signIn.sealedIdToken,
    endOtherSessions,
    alsoWrite: async (tx, ended_sessions) => {
      // The lock stops a concurrent deactivation or deletion from missing this session.
      if (!(await ctx.people.lockActive(person.id, tx.session)))
        refuse((await ctx.people.byId(person.id, tx.session)) ? 'deactivated' : 'invalid_session_id', {
          personId: person.id,
        })
      if (!(await ctx.signInCodes.complete(code, tx.session))) refuse('invalid_session_id', { personId: person.id })
      // Otherwise a sign-in that is under way elsewhere would open a session afterwards.
      if (endOtherSessions) await ctx.signInCodes.removeOf(person.id, tx.session)
      const entry = { at: now, by: person, subject: person, before: {} } as const
      if (endOtherSessions)
        await ctx.audit.add({ ...entry, action: 'other_sessions_ended', after: { ended_sessions } }, tx.session)
      if (person.role === 'admin')
        await ctx.audit.add({ ...entry, action: 'admin_signed_in', after: { sign_in: 'provider' } }, tx.session)
    },
  })
  ctx.security.record({ code: 'signed_in', personId: person.id, network, method: 'provider' })
  return new Reply(
    { user: presentUser(person), ...(endOtherSessions && { ended_sessions: endedSessions }) },
    { cookies: [...sessionCookies(ctx, session, person), cookie, ctx.signInCookies.clearSignedOut()] },
  )
})
