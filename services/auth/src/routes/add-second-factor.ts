import { addSecondFactor as operation } from '@watchline/contracts/second-factors'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import { findConfirmedPassword } from '../actions/require-second-step.ts'
import { storeFactor, verifyNewFactor } from '../actions/set-up-second-factor.ts'
import type { AuthContext } from '../context.ts'
import { sessionConfirmation } from './begin-second-factor.ts'
import { presentFactor } from './presenters.ts'

export const addSecondFactor = defineRoute(operation, async ({ body, person, sid }, ctx: AuthContext) => {
  const confirmation = await ctx.passwordConfirmations.find(sessionConfirmation(sid), ctx.clock.now())
  const confirmed = confirmation && (await findConfirmedPassword(ctx, confirmation))
  if (!confirmed || confirmed.admin.id !== person.id) fail('login_expired')
  const { admin, passwordHash } = confirmed
  const factor = await verifyNewFactor(ctx, confirmation, body)
  const { stored, codes } = await ctx.outbox
    .transaction(async tx => {
      if (!(await ctx.credentials.lockPassword(admin.id, passwordHash, tx.session))) fail('login_expired')
      return storeFactor(ctx, tx, { admin, confirmationId: confirmation.id, factor })
    })
    .catch(refuseKnownPasskey)
  return { success: true as const, factor: presentFactor(stored), ...(codes && { recovery_codes: codes }) }
})

export function refuseKnownPasskey(error: unknown): never {
  if (isDuplicateKey(error)) fail('conflict', { detail: 'This passkey is already registered.' })
  throw error
}
