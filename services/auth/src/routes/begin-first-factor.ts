import { beginFirstFactor as operation } from '@watchline/contracts/second-factors'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { findSecondStep } from '../actions/require-second-step.ts'
import { beginFactorSetup } from '../actions/set-up-second-factor.ts'
import type { AuthContext } from '../context.ts'

export const beginFirstFactor = defineRoute(operation, async ({ body, cookies }, ctx: AuthContext) => {
  const { admin, confirmation } = await findSecondStep(ctx, cookies)
  // A password alone adds no further second factor to an account that has one.
  if ((await ctx.secondFactors.list(admin.id)).length > 0) fail('login_expired')
  return beginFactorSetup(ctx, { admin, confirmationId: confirmation.id, kind: body.kind })
})
