import { previewClaimRules as operation } from '@watchline/contracts/claim-rules'
import { defineRoute } from '@watchline/kit/http/route'
import { previewClaimRules as preview } from '../actions/preview-claim-rules.ts'
import { checkClaimRules } from '../actions/save-claim-rules.ts'
import type { AuthContext } from '../context.ts'

export const previewClaimRules = defineRoute(operation, async ({ body }, ctx: AuthContext) => {
  await checkClaimRules(ctx, body.rules)
  return preview(ctx, body.rules)
})
