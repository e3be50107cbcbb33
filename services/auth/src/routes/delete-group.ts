import { deleteGroup as operation } from '@watchline/contracts/groups'
import { defineRoute } from '@watchline/kit/http/route'
import { deleteGroup as remove } from '../actions/manage-groups.ts'
import type { AuthContext } from '../context.ts'

export const deleteGroup = defineRoute(operation, async ({ params, person }, ctx: AuthContext) => {
  await remove(ctx, { id: params.id, by: person })
  return { success: true as const }
})
