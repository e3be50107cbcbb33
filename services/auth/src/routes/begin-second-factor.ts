import { limits } from '@watchline/contracts/limits'
import { beginSecondFactor as operation } from '@watchline/contracts/second-factors'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { beginFactorSetup } from '../actions/set-up-second-factor.ts'
import { verifyOwnPassword } from '../actions/verify-own-password.ts'
import type { AuthContext } from '../context.ts'

/** The confirmation of a password in a login session; each session has one at most. */
export const sessionConfirmation = (sid: string) => `session:${sid}`

export const beginSecondFactor = defineRoute(
  operation,
  async ({ body, person, sid, loginTime, address, cookies }, ctx: AuthContext) => {
    const passwordHash = await verifyOwnPassword(ctx, { person, loginTime, password: body.password, address, cookies })
    const admin = (await ctx.people.byId(person.id)) ?? fail('no_session')
    const confirmationId = sessionConfirmation(sid)
    const expiresAt = ctx.clock.now() + limits.secondStepTtlMs
    await ctx.passwordConfirmations.open(confirmationId, { personId: person.id, passwordHash, expiresAt })
    return beginFactorSetup(ctx, { admin, confirmationId, kind: body.kind })
  },
)
