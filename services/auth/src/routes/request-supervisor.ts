import { requestSupervisor as operation } from '@watchline/contracts/supervisor-requests'
import { defineRoute } from '@watchline/kit/http/route'
import { requestSupervisor as request } from '../changes/request-supervisor.ts'
import type { AuthContext } from '../context.ts'
import { presentRequest } from './presenters.ts'

export const requestSupervisor = defineRoute(operation, async ({ body, person }, ctx: AuthContext) => {
  const made = await request(ctx, {
    managerId: person.id,
    supervisorId: body.requested_supervisor_id,
    reason: body.reason,
  })
  return { success: true as const, request: await presentRequest(made, ctx.people) }
})
