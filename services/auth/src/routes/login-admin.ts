import { loginAdmin as operation } from '@watchline/contracts/auth'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { countLoginAttempt } from '../actions/count-login-attempt.ts'
import { openAdminSession } from '../actions/open-admin-session.ts'
import { recordFailedSignIn } from '../actions/record-failed-sign-in.ts'
import { requireSecondStep } from '../actions/require-second-step.ts'
import { verifyPassword } from '../actions/verify-password.ts'
import type { AuthContext } from '../context.ts'
import { readSessionId, sessionCookies } from './cookies/session-cookies.ts'
import { presentAdmin } from './presenters.ts'

export const loginAdmin = defineRoute(operation, async ({ body, address, cookies, header }, ctx: AuthContext) => {
  const email = body.email.trim().toLowerCase()
  const deviceId = ctx.deviceCookies.read(email, cookies)
  const attempts = await countLoginAttempt(ctx, { account: email, address, deviceId })
  const { personId, credential } = await verifyPassword(ctx, {
    ...{ email, password: body.password },
    isStranger: deviceId === undefined,
  })
  const person = credential && (await ctx.people.byId(credential.personId))
  if (!credential || person?.role !== 'admin') {
    await recordFailedSignIn(ctx, { personId, address })
    fail('invalid_credentials')
  }
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
    { cookies: [...sessionCookies(ctx, session, person), ctx.deviceCookies.remember(email, cookies)] },
  )
})
