import { login as operation } from '@watchline/contracts/auth'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { findActiveLock } from '@watchline/kit/live/live-store'
import { openSession } from '../actions/open-session.ts'
import type { AuthContext } from '../context.ts'
import { readSessionId, sessionCookies } from './cookies/session-cookies.ts'
import { presentUser } from './presenters.ts'

export const login = defineRoute(operation, async ({ body, cookies, header, address }, ctx: AuthContext) => {
  const { code, binding, cookie } = ctx.signInCookies.readSessionId(body.session_id, cookies)
  const now = ctx.clock.now()
  const personId = await ctx.signInCodes.redeem(code, binding, now)
  const person = personId && (await ctx.people.byId(personId))
  if (!person) fail('invalid_session_id')

  // The lock of this browser's own session is no conflict, because the login replaces that session.
  const replacedSid = readSessionId(ctx, { cookies, header })
  const lock = await findActiveLock(ctx.live, person.id, now)
  if (lock && lock.sid !== replacedSid) fail('monitoring_conflict', { retryAfterS: (lock.expiresAt - now) / 1_000 })

  const session = await openSession(ctx, {
    person,
    replacedSid,
    userAgent: header('user-agent'),
    address,
    alsoWrite: async tx => {
      // The lock stops a concurrent deactivation from missing this session.
      if (!(await ctx.people.lockActive(person.id, tx.session))) fail('deactivated')
      if (person.role !== 'admin') return
      const entry = { action: 'admin_signed_in', by: person, subject: person, before: {} } as const
      await ctx.audit.add({ at: now, ...entry, after: { sign_in: 'provider' } }, tx.session)
    },
  })
  return new Reply({ user: presentUser(person) }, { cookies: [...sessionCookies(ctx, session, person), cookie] })
})
