import { getAdminInvitation as operation } from '@watchline/contracts/internal-operations'
import { fail } from '@watchline/kit/core/errors'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import type { AuthContext } from '../context.ts'

export const getAdminInvitation = defineInternalRoute(operation, async ({ params }, ctx: AuthContext) => {
  const invitation = await ctx.adminInvitations.findValidByHash(params.tokenHash, ctx.clock.now())
  if (!invitation) fail('not_found')
  const { id, name, email, invitedBy, expiresAt } = invitation
  return { id, name, email, invited_by_name: invitedBy.name, expires_at: new Date(expiresAt).toISOString() }
})
