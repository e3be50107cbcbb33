import { signIn as operation } from '@watchline/contracts/auth'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { redirectToFailure } from './sign-in-failure.ts'

export const signIn = defineRoute(operation, async ({ query, cookies }, ctx: AuthContext) => {
  try {
    const { url, remember } = await ctx.provider.begin(query.login_hint)
    return new Reply(null, { headers: { location: url }, cookies: ctx.signInCookies.begin(remember, cookies) })
  } catch (error) {
    return redirectToFailure(error, ctx)
  }
})
