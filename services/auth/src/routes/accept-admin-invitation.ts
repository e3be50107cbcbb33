import { acceptAdminInvitation as operation } from '@watchline/contracts/administrators'
import { defineRoute } from '@watchline/kit/http/route'
import { acceptInvitation } from '../actions/accept-invitation.ts'
import type { AuthContext } from '../context.ts'
import { presentAdmin } from './presenters.ts'

export const acceptAdminInvitation = defineRoute(operation, async ({ body }, ctx: AuthContext) => {
  const admin = await acceptInvitation(ctx, body)
  return { success: true as const, admin: presentAdmin(admin) }
})
