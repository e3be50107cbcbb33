import { getSecondFactors as operation } from '@watchline/contracts/second-factors'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { presentFactor } from './presenters.ts'

export const getSecondFactors = defineRoute(operation, async ({ person }, ctx: AuthContext) => {
  const [credential, factors, codesLeft] = await Promise.all([
    ctx.credentials.byPerson(person.id),
    ctx.secondFactors.list(person.id),
    ctx.recoveryCodes.countLeft(person.id),
  ])
  return {
    sign_in: credential ? ('password' as const) : ('provider' as const),
    required: ctx.config.adminSecondFactor === 'required',
    factors: factors.map(presentFactor),
    recovery_codes_left: codesLeft,
  }
})
