import { changeSupervisor as operation } from '@watchline/contracts/organisation'
import { defineRoute } from '@watchline/kit/http/route'
import { assignSupervisor } from '../actions/assign-supervisor.ts'
import type { AuthContext } from '../context.ts'
import { presentUser } from './presenters.ts'

export const changeSupervisor = defineRoute(operation, async ({ params, query, person }, ctx: AuthContext) => {
  const user = await assignSupervisor(ctx, { id: params.id, supervisorId: query.supervisor_id || null, by: person })
  return { success: true as const, user: presentUser(user) }
})
