import { withdrawAdminInvitation as operation } from '@watchline/contracts/administrators'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'

export const withdrawAdminInvitation = defineRoute(operation, async ({ params, person }, ctx: AuthContext) => {
  await ctx.outbox.transaction(async tx => {
    const subject = await ctx.adminInvitations.withdraw(params.id, tx.session)
    if (!subject) fail('not_found')
    const entry = { action: 'admin_invitation_withdrawn', by: person, subject, before: {}, after: {} } as const
    await ctx.audit.add({ at: ctx.clock.now(), ...entry }, tx.session)
  })
  return { success: true as const }
})
