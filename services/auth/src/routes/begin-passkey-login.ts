import { beginPasskeyLogin as operation } from '@watchline/contracts/second-factors'
import { defineRoute } from '@watchline/kit/http/route'
import { findSecondStep } from '../actions/require-second-step.ts'
import type { AuthContext } from '../context.ts'

export const beginPasskeyLogin = defineRoute(operation, async ({ cookies }, ctx: AuthContext) => {
  const { admin, confirmation } = await findSecondStep(ctx, cookies)
  const factors = await ctx.secondFactors.list(admin.id)
  const options = await ctx.passkeys.assertion(factors.flatMap(({ kind, key }) => (kind === 'passkey' ? [key] : [])))
  await ctx.passwordConfirmations.saveChallenge(confirmation.id, options.challenge)
  return { options: { ...options } }
})
