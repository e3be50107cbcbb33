import { z } from 'zod'
import { newPassword } from './auth.ts'
import { id, idParams, invitationToken, success, time } from './fields.ts'
import { defineOperation } from './operation.ts'
import { admin, email, emailVerified, ownPassword, personName } from './people.ts'

const service = 'auth'

/** How an administrator signs in: with an own password, or through the sign-in provider. */
export const adminSignIn = z.enum(['password', 'provider'])

export const administrator = z.object({
  id,
  name: z.string(),
  email: z.string(),
  email_verified: emailVerified,
  created_at: time,
  sign_in: adminSignIn,
  /** Whether their own sign-in asks for a second factor. The provider decides for its accounts. */
  second_factor: z.boolean(),
  /** As in `user`. */
  last_seen: time.nullable(),
})
export type Administrator = z.infer<typeof administrator>

/** An invitation that was not accepted yet. */
export const adminInvitation = z.object({
  id,
  name: z.string(),
  email: z.string(),
  invited_by: z.object({ id, name: z.string() }),
  created_at: time,
  expires_at: time,
})
export type AdminInvitation = z.infer<typeof adminInvitation>

export const listAdministrators = defineOperation({
  name: 'listAdministrators',
  service,
  method: 'GET',
  path: '/admin/administrators',
  callers: ['admin'],
  summary: 'All administrators, the first one first, and the invitations that nobody has accepted yet.',
  response: z.object({ administrators: z.array(administrator), invitations: z.array(adminInvitation) }),
  errors: ['forbidden'],
})

export const inviteAdministrator = defineOperation({
  name: 'inviteAdministrator',
  service,
  method: 'POST',
  path: '/admin/administrators',
  callers: ['admin'],
  summary:
    'Invites a person to become an administrator, after the caller’s password, and with a second factor or an account of the provider within ten minutes after the sign-in. The answer alone contains the link, which is valid once and for 72 hours; pass it on personally, or by mailAdminInvitation. A new invitation of the same address replaces the earlier one.',
  body: z.object({ name: personName, email, password: ownPassword }),
  response: z.object({ success: z.literal(true), invitation: adminInvitation, link: z.string() }),
  status: 201,
  errors: ['forbidden', 'sign_in_again', 'invalid_credentials', 'conflict', 'too_many', 'invalid'],
})

export const withdrawAdminInvitation = defineOperation({
  name: 'withdrawAdminInvitation',
  service,
  method: 'DELETE',
  path: '/admin/invitations/{id}',
  callers: ['admin'],
  summary: 'Withdraws an invitation: its link is no longer valid.',
  params: idParams,
  response: success,
  errors: ['forbidden', 'not_found', 'invalid'],
})

export const removeAdministrator = defineOperation({
  name: 'removeAdministrator',
  service,
  method: 'DELETE',
  path: '/admin/administrators/{id}',
  callers: ['admin'],
  summary:
    'Takes the role away from an administrator and ends all their login sessions at once, after the caller’s password as in inviteAdministrator. Their password, second factors and open invitations are deleted; an account without a sign-in provider is deactivated. The last administrator cannot be removed.',
  params: idParams,
  body: z.object({ password: ownPassword }),
  bodyOptional: true,
  response: success,
  errors: ['forbidden', 'sign_in_again', 'invalid_credentials', 'not_found', 'last_admin', 'too_many', 'invalid'],
})

export const checkAdminInvitation = defineOperation({
  name: 'checkAdminInvitation',
  service,
  method: 'POST',
  path: '/admin/accept-invitation/check',
  callers: 'anyone',
  summary: 'Whose invitation a token is, for the page that asks for a password.',
  body: z.object({ token: invitationToken }),
  response: z.object({ name: z.string(), email: z.string(), expires_at: time }),
  errors: ['invalid_invitation', 'invalid'],
})

export const acceptAdminInvitation = defineOperation({
  name: 'acceptAdminInvitation',
  service,
  method: 'POST',
  path: '/admin/accept-invitation',
  callers: 'anyone',
  summary:
    'Creates the administrator’s account with their own password; one who was removed before gets the same account again. The token is used up.',
  body: z.object({ token: invitationToken, password: newPassword }),
  response: z.object({ success: z.literal(true), admin }),
  errors: ['invalid_invitation', 'conflict', 'invalid'],
})
