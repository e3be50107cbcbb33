import { removeAdministrator as operation } from '@watchline/contracts/administrators'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { confirmOwnSignIn } from '../actions/confirm-own-sign-in.ts'
import { clearSessionState } from '../actions/end-session.ts'
import { revokeAdminRole } from '../actions/revoke-admin-role.ts'
import type { AuthContext } from '../context.ts'

export const removeAdministrator = defineRoute(operation, async (input, ctx: AuthContext) => {
  const { params, person: by } = input
  await confirmOwnSignIn(ctx, { ...input, password: input.body?.password })
  const { ended } = await ctx.outbox.transaction(async tx => {
    // Two administrators may remove each other at the same time: the first one wins.
    if (!(await ctx.people.lockRole(by.id, 'admin', tx.session))) fail('forbidden')
    const admin = await ctx.people.byId(params.id, tx.session)
    if (admin?.role !== 'admin') fail('not_found')
    return (await revokeAdminRole(ctx, { admin, by, tx })) ?? fail('last_admin')
  })
  await Promise.all(ended.map(session => clearSessionState(ctx, session)))
  return { success: true as const }
})
