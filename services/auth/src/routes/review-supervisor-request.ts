import { reviewSupervisorRequest as operation } from '@watchline/contracts/supervisor-requests'
import { defineRoute } from '@watchline/kit/http/route'
import { reviewRequest } from '../changes/review-request.ts'
import type { AuthContext } from '../context.ts'
import { presentRequest } from './presenters.ts'

export const reviewSupervisorRequest = defineRoute(operation, async ({ params, body, person }, ctx: AuthContext) => {
  const reviewed = await reviewRequest(ctx, { id: params.id, action: body.action, comment: body.comment, by: person })
  return { success: true as const, request: await presentRequest(reviewed, ctx.people) }
})
