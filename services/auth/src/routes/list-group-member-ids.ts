import * as contract from '@watchline/contracts/internal-operations'
import { fail } from '@watchline/kit/core/errors'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import { findVisibleGroup } from '../actions/find-visible-group.ts'
import { listManagedMembers } from '../actions/list-managed-members.ts'
import type { AuthContext } from '../context.ts'

/** `listGroupChoices` offers the groups that this finds. */
export const listGroupMemberIds = defineInternalRoute(
  contract.listGroupMemberIds,
  async ({ params, query }, ctx: AuthContext) => {
    const { viewer_id, after, limit } = query
    const viewer = viewer_id === undefined ? undefined : ((await ctx.people.byId(viewer_id)) ?? fail('not_found'))
    if (viewer?.role === 'manager') {
      const group = (await ctx.groups.byId(params.id)) ?? fail('not_found')
      const members = await listManagedMembers(ctx, group.id, viewer.id)
      if (members.length === 0) fail('not_found')
      return members.filter(id => id > after).slice(0, limit)
    }
    const group = viewer ? await findVisibleGroup(ctx, params.id, viewer) : await ctx.groups.byId(params.id)
    return ctx.groupMembers.afterId(group?.id ?? fail('not_found'), after, limit)
  },
)
