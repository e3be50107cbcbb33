import { clearBounce as operation } from '@watchline/contracts/mail'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { NotificationContext } from '../context.ts'

export const clearBounce = defineRoute(operation, async ({ params }, ctx: NotificationContext) => {
  if (!(await ctx.bounces.remove(params.id))) fail('not_found')
  return { success: true as const }
})
