import { withdrawAdminInvitation as operation } from '@watchline/contracts/administrators'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { findInvitedPerson } from '../actions/accept-invitation.ts'
import type { AuthContext } from '../context.ts'

export const withdrawAdminInvitation = defineRoute(operation, async ({ params, person }, ctx: AuthContext) => {
  await ctx.outbox.transaction(async tx => {
    const invitation = await ctx.adminInvitations.withdraw(params.id, tx.session)
    if (!invitation) fail('not_found')
    const subject = await findInvitedPerson(ctx, invitation, tx)
    const entry = { action: 'admin_invitation_withdrawn', by: person, subject, before: {}, after: {} } as const
    await ctx.audit.add({ at: ctx.clock.now(), ...entry }, tx.session)
  })
  return { success: true as const }
})
