import { signInCallback as operation } from '@watchline/contracts/auth'
import { limits } from '@watchline/contracts/limits'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { upsertAccount } from '../actions/upsert-account.ts'
import { SignInFailure } from '../clients/identity-provider.ts'
import type { AuthContext } from '../context.ts'
import { redirectToFailure } from './sign-in-failure.ts'

export const signInCallback = defineRoute(operation, async ({ query, cookies }, ctx: AuthContext) => {
  try {
    const remembered = ctx.signInCookies.read(query.state, cookies, ctx.clock.now())
    if (!remembered) throw new SignInFailure('invalid_state')
    const { identity, account } = await ctx.provider.complete(parameters(query), remembered)
    const person = await upsertAccount(ctx, identity, account)
    const { sessionId, code, binding, cookie } = ctx.signInCookies.issue()
    await ctx.signInCodes.insert(code, person.id, binding, ctx.clock.now() + limits.sessionIdTtlMs)
    return new Reply(null, {
      headers: { location: `/profile#session_id=${sessionId}`, 'cache-control': 'no-store' },
      cookies: [ctx.signInCookies.end(remembered.state), cookie],
    })
  } catch (error) {
    return redirectToFailure(error, ctx)
  }
})

function parameters(query: Record<string, unknown>): URLSearchParams {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) for (const each of [value].flat()) given.append(name, String(each))
  return given
}
