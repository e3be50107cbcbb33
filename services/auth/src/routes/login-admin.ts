import { loginAdmin as operation } from '@watchline/contracts/auth'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { countLoginAttempt } from '../actions/count-login-attempt.ts'
import { openAdminSession } from '../actions/open-admin-session.ts'
import { requireSecondStep } from '../actions/require-second-step.ts'
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
  const { passwordHash } = credential

  // The attempts are cleared after the second step only: a known password gives no further guesses.
  await requireSecondStep(ctx, { admin: person, passwordHash })
  await attempts.clear()
  const session = await openAdminSession(ctx, {
    admin: person,
    passwordHash,
    replacedSid: readSessionId(ctx, { cookies, header }),
    userAgent: header('user-agent'),
    address,
    complete: async tx => {
      // The account got a second factor meanwhile, so the password alone is no longer enough.
      if ((await ctx.secondFactors.list(person.id, tx.session)).length > 0) fail('login_expired')
      return {}
    },
  })
  return new Reply(
    { success: true as const, admin: presentAdmin(person) },
    { cookies: sessionCookies(ctx, session, person) },
  )
})
