import { replaceRecoveryCodes as operation } from '@watchline/contracts/second-factors'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { verifyOwnPassword } from '../actions/verify-own-password.ts'
import type { AuthContext } from '../context.ts'

export const replaceRecoveryCodes = defineRoute(
  operation,
  async ({ body, person, loginTime, address, cookies }, ctx: AuthContext) => {
    const passwordHash = await verifyOwnPassword(ctx, { person, loginTime, password: body.password, address, cookies })
    const codes = await ctx.outbox.transaction(async tx => {
      if (!(await ctx.credentials.lockPassword(person.id, passwordHash, tx.session))) fail('invalid_credentials')
      const hasFactor = (await ctx.secondFactors.list(person.id, tx.session)).length > 0
      if (!hasFactor) fail('conflict', { detail: 'Recovery codes come with the first second factor. Add one first.' })
      const entry = { action: 'recovery_codes_replaced', by: person, subject: person, before: {}, after: {} } as const
      await ctx.audit.add({ at: ctx.clock.now(), ...entry }, tx.session)
      return ctx.recoveryCodes.replace(person.id, tx.session)
    })
    return { success: true as const, recovery_codes: codes }
  },
)
