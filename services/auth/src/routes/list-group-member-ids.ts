import * as contract from '@watchline/contracts/internal-operations'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import { findGroupFor } from '../actions/find-visible-group.ts'
import type { AuthContext } from '../context.ts'

export const listGroupMemberIds = defineInternalRoute(
  contract.listGroupMemberIds,
  async ({ params, query: { viewer_id, after, limit } }, ctx: AuthContext) => {
    const group = await findGroupFor(ctx, params.id, viewer_id)
    return ctx.groupMembers.afterId(group.id, after, limit)
  },
)
