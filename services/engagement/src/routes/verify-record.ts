import { verifyRecord as operation } from '@watchline/contracts/records'
import { networkOf } from '@watchline/kit/http/network'
import { defineRoute } from '@watchline/kit/http/route'
import { verifyCode, verifyFile } from '../actions/verify-document.ts'
import type { EngagementContext } from '../context.ts'
import { verificationLimit } from '../rules/rate-limits.ts'

export const verifyRecord = defineRoute(operation, async ({ body, address }, ctx: EngagementContext) => {
  await ctx.rateLimiter.count(`verifications:${networkOf(address)}`, verificationLimit)
  return 'code' in body ? verifyCode(ctx, body.code) : verifyFile(ctx, body.document)
})
