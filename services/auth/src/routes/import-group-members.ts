import { importGroupMembers as operation } from '@watchline/contracts/groups'
import { defineRoute } from '@watchline/kit/http/route'
import { addMembers, findAddresses } from '../actions/change-group-members.ts'
import type { AuthContext } from '../context.ts'
import { presentGroup } from './present-groups.ts'

export const importGroupMembers = defineRoute(operation, async ({ params, body, person }, ctx: AuthContext) => {
  const { personIds, members, problems } = await findAddresses(ctx, params.id, body.emails)
  const { group, added } = await addMembers(ctx, { groupId: params.id, personIds, by: person })
  return { success: true as const, added, members, problems, group: await presentGroup(ctx, group) }
})
