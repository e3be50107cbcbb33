import { changeStatus as operation } from '@watchline/contracts/organisation'
import { defineRoute } from '@watchline/kit/http/route'
import { deactivate, reactivate } from '../actions/change-status.ts'
import type { AuthContext } from '../context.ts'
import { presentUser } from './presenters.ts'

export const changeStatus = defineRoute(operation, async ({ params, body, person: by }, ctx: AuthContext) => {
  const change = body.status === 'deactivated' ? deactivate : reactivate
  return { success: true as const, user: presentUser(await change(ctx, { id: params.id, by })) }
})
