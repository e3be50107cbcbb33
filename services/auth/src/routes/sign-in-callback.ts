import { signInCallback as operation } from '@watchline/contracts/auth'
import { limits } from '@watchline/contracts/limits'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { takeInAccount } from '../changes/take-in-account.ts'
import type { AuthContext } from '../context.ts'
import { redirectToFailure } from '../sign-in/answers.ts'
import { SignInFailure } from '../sign-in/provider-client.ts'

export const signInCallback = defineRoute(operation, async ({ query, cookies }, ctx: AuthContext) => {
  try {
    const remembered = ctx.flow.read(query.state, cookies, ctx.clock.now())
    if (!remembered) throw new SignInFailure('invalid_state')
    const { identity, account } = await ctx.provider.complete(parameters(query), remembered)
    const person = await takeInAccount(ctx, identity, account)
    const { sessionId, code, binding, cookie } = ctx.flow.issue()
    await ctx.codes.insert(code, person.id, binding, ctx.clock.now() + limits.sessionIdTtlMs)
    return new Reply(null, {
      headers: { location: `/profile#session_id=${sessionId}`, 'cache-control': 'no-store' },
      cookies: [ctx.flow.end(remembered.state), cookie],
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
