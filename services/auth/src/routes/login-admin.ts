import { loginAdmin as operation } from '@watchline/contracts/auth'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { countLoginAttempt } from '../actions/count-login-attempt.ts'
import { openSession } from '../actions/open-session.ts'
import type { AuthContext } from '../context.ts'
import { readSessionId, sessionCookies } from './cookies/session-cookies.ts'
import { presentAdmin } from './presenters.ts'

export const loginAdmin = defineRoute(operation, async ({ body, address, cookies, header }, ctx: AuthContext) => {
  const email = body.email.trim().toLowerCase()
  const attempts = await countLoginAttempt(ctx, { account: email, address })
  const credential = await ctx.credentials.byEmail(email)
  const isCorrect = await ctx.passwords.verify(credential?.passwordHash, body.password)
  const person = isCorrect && credential ? await ctx.people.byId(credential.personId) : undefined
  if (!credential || person?.role !== 'admin') fail('invalid_credentials')

  await attempts.clear()
  const at = ctx.clock.now()
  const { session } = await openSession(ctx, {
    person,
    replacedSid: readSessionId(ctx, { cookies, header }),
    userAgent: header('user-agent'),
    address,
    alsoWrite: async tx => {
      // A change of the password ends existing sessions; the lock stops it from missing this one.
      const isCurrent = await ctx.credentials.lockPassword(person.id, credential.passwordHash, tx.session)
      if (!isCurrent) fail('invalid_credentials')
      const entry = { at, action: 'admin_signed_in', by: person, subject: person, before: {}, after: {} } as const
      await ctx.audit.add(entry, tx.session)
    },
  })
  return new Reply(
    { success: true as const, admin: presentAdmin(person) },
    { cookies: sessionCookies(ctx, session, person) },
  )
})
