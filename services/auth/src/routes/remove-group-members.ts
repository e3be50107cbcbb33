import { removeGroupMembers as operation } from '@watchline/contracts/groups'
import { defineRoute } from '@watchline/kit/http/route'
import { removeMembers } from '../actions/change-group-members.ts'
import type { AuthContext } from '../context.ts'
import { presentGroup } from './present-groups.ts'

export const removeGroupMembers = defineRoute(operation, async ({ params, body, person }, ctx: AuthContext) => {
  const { group, removed } = await removeMembers(ctx, { groupId: params.id, personIds: body.user_ids, by: person })
  return { success: true as const, removed, group: await presentGroup(ctx, group) }
})
