import { getSignInFailure as operation } from '@watchline/contracts/auth'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'

export const getSignInFailure = defineRoute(operation, async ({ cookies }, { signInCookies, clock }: AuthContext) => {
  const failure = signInCookies.readFailure(cookies, clock.now())
  return { error: failure?.error ?? null, description: failure?.description ?? null }
})
