import { signIn as operation } from '@watchline/contracts/auth'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { redirectToFailure } from './sign-in-failure-reply.ts'

export const signIn = defineRoute(operation, async ({ query, cookies, address }, ctx: AuthContext) => {
  try {
    const { url, signIn } = await ctx.providers.get(query.provider).beginSignIn({
      loginHint: query.login_hint,
      askWho: ctx.signInCookies.isSignedOut(cookies),
      endOtherSessions: query.end_other_sessions === 'true',
    })
    return new Reply(null, { headers: { location: url }, cookies: ctx.signInCookies.setState(signIn, cookies) })
  } catch (error) {
    return redirectToFailure(error, ctx, address)
  }
})
