import { limits } from '@watchline/contracts/limits'
import { mailAdminInvitation as operation } from '@watchline/contracts/mail'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { requireMailServer, sendAwaitedMail } from '../actions/send-awaited-mail.ts'
import type { NotificationContext } from '../context.ts'
import { composeInvitationMail } from '../rules/compose-mail.ts'
import { formatMoment } from '../rules/due-date.ts'

const invitationLimit = { max: limits.invitationMailsPerHour, windowMs: 3_600_000 }

/**
 * The token comes from the page that has just received it, because an event or a stored mail would
 * keep it. It goes to no other address than that of its invitation.
 */
export const mailAdminInvitation = defineRoute(operation, async ({ body, person }, ctx: NotificationContext) => {
  const mailServer = requireMailServer(ctx)
  await ctx.rateLimiter.count(`invitation-mails:${person.id}`, invitationLimit)
  const invitation = (await ctx.adminInvitations.find(body.token)) ?? fail('invalid_invitation')
  const text = composeInvitationMail({
    recipientName: invitation.name,
    inviterName: invitation.invited_by_name,
    until: formatMoment(invitation.expires_at, ctx.timeZone),
    // The token stands after #, which browsers send to no server.
    link: `${ctx.publicUrl}/admin#invite=${encodeURIComponent(body.token)}`,
  })
  return sendAwaitedMail({ ...ctx, mailServer }, { ...text, id: invitation.id, address: invitation.email })
})
