import { removeSecondFactor as operation } from '@watchline/contracts/second-factors'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { verifyOwnPassword } from '../actions/verify-own-password.ts'
import type { AuthContext } from '../context.ts'

const lastFactor = { detail: 'Administrators need a second factor here. Add another one first.' }

export const removeSecondFactor = defineRoute(
  operation,
  async ({ params, body, person, loginTime, address, cookies }, ctx: AuthContext) => {
    const passwordHash = await verifyOwnPassword(ctx, { person, loginTime, password: body.password, address, cookies })
    await ctx.outbox.transaction(async tx => {
      if (!(await ctx.credentials.lockPassword(person.id, passwordHash, tx.session))) fail('invalid_credentials')
      const removed = await ctx.secondFactors.remove(person.id, params.id, tx.session)
      if (!removed) fail('not_found')
      const isLast = (await ctx.secondFactors.list(person.id, tx.session)).length === 0
      if (isLast && ctx.config.adminSecondFactor === 'required') fail('conflict', lastFactor)
      if (isLast) await ctx.recoveryCodes.remove(person.id, tx.session)
      tx.publish('administrators.changed', 'administrators', {
        ...{ change: 'second_factor_removed', person_id: person.id, by: person.id },
      })
      await ctx.audit.add(
        {
          at: ctx.clock.now(),
          action: 'second_factor_removed',
          by: person,
          subject: person,
          before: { kind: removed.kind, name: removed.name },
          after: {},
        },
        tx.session,
      )
    })
    return { success: true as const }
  },
)
