import { completeAdminLogin as operation } from '@watchline/contracts/second-factors'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { countLoginAttempt } from '../actions/count-login-attempt.ts'
import { openAdminSession } from '../actions/open-admin-session.ts'
import { recordFailedSignIn } from '../actions/record-failed-sign-in.ts'
import { findSecondStep } from '../actions/require-second-step.ts'
import { verifySecondStep } from '../actions/verify-second-step.ts'
import type { AuthContext } from '../context.ts'
import { readSessionId, sessionCookies } from './cookies/session-cookies.ts'
import { presentAdmin } from './presenters.ts'

export const completeAdminLogin = defineRoute(
  operation,
  async ({ body, address, cookies, header }, ctx: AuthContext) => {
    const { admin, passwordHash, confirmation } = await findSecondStep(ctx, cookies)
    const deviceId = ctx.deviceCookies.read(admin.email, cookies)
    const attempts = await countLoginAttempt(ctx, { account: admin.email, address, deviceId, isSecondStep: true })
    const refuse = async (): Promise<never> => {
      await recordFailedSignIn(ctx, { code: 'second_factor_refused', personId: admin.id, address })
      fail('invalid_second_factor')
    }
    const use = (await verifySecondStep(ctx, confirmation, body)) ?? (await refuse())
    const session = await openAdminSession(ctx, {
      admin,
      passwordHash,
      replacedSid: readSessionId(ctx, { cookies, header }),
      userAgent: header('user-agent'),
      address,
      complete: async tx => {
        if (!(await use(tx))) await refuse()
        if (!(await ctx.passwordConfirmations.close(confirmation.id, tx.session))) fail('login_expired')
        return { second_factor: body.kind }
      },
    })
    await attempts.clear()
    return new Reply(
      { success: true as const, admin: presentAdmin(admin) },
      {
        cookies: [
          ...sessionCookies(ctx, session, admin),
          ctx.loginStepCookie.removal,
          ctx.deviceCookies.remember(admin.email, cookies),
        ],
      },
    )
  },
)
