import { returnSupervisor as operation } from '@watchline/contracts/organisation'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { changeManager } from '../actions/assign-manager.ts'
import type { AuthContext } from '../context.ts'
import { presentUser } from './presenters.ts'

export const returnSupervisor = defineRoute(
  operation,
  async ({ params: { id }, query: { version }, person: manager }, ctx: AuthContext) => {
    const supervisor = await ctx.outbox.transaction(async tx => {
      const found = await ctx.people.byId(id, tx.session)
      if (found?.role !== 'supervisor' || found.deactivatedAt) fail('not_found')
      // A supervisor without a manager may be one whom an earlier call gave back.
      if (found.managerId !== null && found.managerId !== manager.id) fail('not_found')
      const isChanged = version !== undefined && version !== found.version
      if (found.managerId !== null && isChanged) fail('edited_elsewhere')
      return changeManager(ctx, { supervisor: found, managerId: null, by: manager, tx })
    })
    return { success: true as const, user: presentUser(supervisor) }
  },
)
