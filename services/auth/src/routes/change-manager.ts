import { changeManager as operation } from '@watchline/contracts/organisation'
import { defineRoute } from '@watchline/kit/http/route'
import { assignManager } from '../actions/assign-manager.ts'
import type { AuthContext } from '../context.ts'
import { presentUser } from './presenters.ts'

export const changeManager = defineRoute(operation, async ({ params, query, person }, ctx: AuthContext) => {
  const supervisor = await assignManager(ctx, { id: params.id, managerId: query.manager_id || null, by: person })
  return { success: true as const, user: presentUser(supervisor) }
})
