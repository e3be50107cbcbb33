import { changeRole as operation } from '@watchline/contracts/organisation'
import { defineRoute } from '@watchline/kit/http/route'
import { assignRole } from '../actions/assign-role.ts'
import type { AuthContext } from '../context.ts'
import { presentUser } from './presenters.ts'

export const changeRole = defineRoute(operation, async ({ params, body, person }, ctx: AuthContext) => {
  const user = await assignRole(ctx, {
    id: params.id,
    role: body.role,
    supervisorId: body.supervisor_id,
    managerId: body.manager_id,
    by: person,
  })
  return { success: true as const, user: presentUser(user) }
})
