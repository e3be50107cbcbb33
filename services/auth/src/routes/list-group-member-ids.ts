import * as contract from '@watchline/contracts/internal-operations'
import { fail } from '@watchline/kit/core/errors'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import { findVisibleGroup } from '../actions/find-visible-group.ts'
import type { AuthContext } from '../context.ts'

export const listGroupMemberIds = defineInternalRoute(
  contract.listGroupMemberIds,
  async ({ params, query }, ctx: AuthContext) => {
    const { viewer_id, after, limit } = query
    const viewer = viewer_id === undefined ? undefined : ((await ctx.people.byId(viewer_id)) ?? fail('not_found'))
    const group = viewer ? await findVisibleGroup(ctx, params.id, viewer) : await ctx.groups.byId(params.id)
    return ctx.groupMembers.afterId(group?.id ?? fail('not_found'), after, limit)
  },
)
