import { saveClaimRules as operation } from '@watchline/contracts/claim-rules'
import { defineRoute } from '@watchline/kit/http/route'
import { checkClaimRules, saveClaimRules as save } from '../actions/save-claim-rules.ts'
import type { AuthContext } from '../context.ts'
import { presentClaimRules } from './present-claim-rules.ts'

export const saveClaimRules = defineRoute(operation, async ({ body, person }, ctx: AuthContext) => {
  await checkClaimRules(ctx, body.rules)
  await save(ctx, { ...body, by: person })
  return presentClaimRules(ctx)
})
