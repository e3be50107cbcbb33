import { checkAdminInvitation as operation } from '@watchline/contracts/administrators'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'

export const checkAdminInvitation = defineRoute(operation, async ({ body }, ctx: AuthContext) => {
  const invitation = await ctx.adminInvitations.findValid(body.token, ctx.clock.now())
  if (!invitation) fail('invalid_invitation')
  const { name, email, expiresAt } = invitation
  return { name, email, expires_at: new Date(expiresAt).toISOString() }
})
