import { inviteAdministrator as operation } from '@watchline/contracts/administrators'
import { limits } from '@watchline/contracts/limits'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { findInvitedPerson, requireNoAdministrator } from '../actions/accept-invitation.ts'
import { confirmOwnSignIn } from '../actions/confirm-own-sign-in.ts'
import type { AuthContext } from '../context.ts'
import { presentInvitation } from './presenters.ts'

export const inviteAdministrator = defineRoute(operation, async (input, ctx: AuthContext) => {
  const {
    body: { password, ...invited },
    person,
  } = input
  await confirmOwnSignIn(ctx, { ...input, password })
  const createdAt = ctx.clock.now()
  const expiresAt = createdAt + limits.adminInvitationTtlMs
  const { stored, token } = await ctx.outbox.transaction(async tx => {
    // A concurrent removal of the inviting administrator withdraws their invitations, and this one.
    if (!(await ctx.people.lockRole(person.id, 'admin', tx.session))) fail('forbidden')
    await requireNoAdministrator(ctx, invited.email, tx)
    const invitation = await ctx.adminInvitations.replace(
      { ...invited, invitedBy: person, createdAt, expiresAt },
      tx.session,
    )
    const subject = await findInvitedPerson(ctx, invitation.stored, tx)
    await ctx.audit.add(
      { at: createdAt, action: 'admin_invited', by: person, subject, before: {}, after: {} },
      tx.session,
    )
    tx.publish('administrators.changed', 'administrators', { change: 'invited', person_id: person.id, by: person.id })
    return invitation
  })
  // The token stands after #, which browsers send to no server.
  const link = `${ctx.config.publicUrl}/admin#invite=${token}`
  return { success: true as const, invitation: presentInvitation(stored), link }
})
