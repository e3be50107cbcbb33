import { listAdministrators as operation } from '@watchline/contracts/administrators'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { presentAdministrators, presentInvitation } from './presenters.ts'

export const listAdministrators = defineRoute(operation, async (_input, ctx: AuthContext) => ({
  administrators: await presentAdministrators(await ctx.people.administrators(), ctx),
  invitations: (await ctx.adminInvitations.listValid(ctx.clock.now())).map(presentInvitation),
}))
