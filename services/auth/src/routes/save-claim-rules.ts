import { saveClaimRules as operation } from '@watchline/contracts/claim-rules'
import { defineRoute } from '@watchline/kit/http/route'
import { confirmOwnSignIn } from '../actions/confirm-own-sign-in.ts'
import { checkClaimRules, saveClaimRules as save } from '../actions/save-claim-rules.ts'
import type { AuthContext } from '../context.ts'
import { presentClaimRules } from './present-claim-rules.ts'

export const saveClaimRules = defineRoute(operation, async (input, ctx: AuthContext) => {
  const {
    body: { password, ...rules },
    person,
  } = input
  await confirmOwnSignIn(ctx, { ...input, password })
  await checkClaimRules(ctx, rules.rules)
  await save(ctx, { ...rules, by: person })
  return presentClaimRules(ctx)
})
