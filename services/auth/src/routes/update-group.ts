import { updateGroup as operation } from '@watchline/contracts/groups'
import { defineRoute } from '@watchline/kit/http/route'
import { updateGroup as update } from '../actions/manage-groups.ts'
import type { AuthContext } from '../context.ts'
import { presentGroup } from './present-groups.ts'

export const updateGroup = defineRoute(operation, async ({ params, body, person }, ctx: AuthContext) => {
  const changed = await update(ctx, { ...body, id: params.id, by: person })
  return { success: true as const, group: await presentGroup(ctx, changed) }
})
