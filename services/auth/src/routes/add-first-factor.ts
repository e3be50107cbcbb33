import { addFirstFactor as operation } from '@watchline/contracts/second-factors'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { openAdminSession } from '../actions/open-admin-session.ts'
import { findSecondStep } from '../actions/require-second-step.ts'
import { storeFactor, verifyNewFactor } from '../actions/set-up-second-factor.ts'
import type { AuthContext } from '../context.ts'
import { refuseKnownPasskey } from './add-second-factor.ts'
import { readSessionId, sessionCookies } from './cookies/session-cookies.ts'
import { presentAdmin } from './presenters.ts'

export const addFirstFactor = defineRoute(operation, async ({ body, address, cookies, header }, ctx: AuthContext) => {
  const { admin, passwordHash, confirmation } = await findSecondStep(ctx, cookies)
  const factor = await verifyNewFactor(ctx, confirmation, body)
  let recoveryCodes: string[] = []
  const session = await openAdminSession(ctx, {
    admin,
    passwordHash,
    replacedSid: readSessionId(ctx, { cookies, header }),
    userAgent: header('user-agent'),
    address,
    complete: async tx => {
      const { codes } = await storeFactor(ctx, tx, { admin, confirmationId: confirmation.id, factor })
      // The account got a second factor meanwhile, so the password alone is no longer enough.
      recoveryCodes = codes ?? fail('login_expired')
      return { second_factor: body.kind }
    },
  }).catch(refuseKnownPasskey)
  return new Reply(
    { success: true as const, admin: presentAdmin(admin), recovery_codes: recoveryCodes },
    {
      cookies: [
        ...sessionCookies(ctx, session, admin),
        ctx.loginStepCookie.removal,
        ctx.deviceCookies.remember(admin.email, cookies),
      ],
    },
  )
})
