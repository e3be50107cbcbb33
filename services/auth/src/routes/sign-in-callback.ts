import { signInCallback as operation } from '@watchline/contracts/auth'
import { errorCodes } from '@watchline/contracts/errors'
import { limits } from '@watchline/contracts/limits'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { applyAdminClaim } from '../actions/apply-admin-claim.ts'
import { upsertAccount } from '../actions/upsert-account.ts'
import { SignInFailure } from '../clients/sign-in-failure.ts'
import type { AuthContext } from '../context.ts'
import { refusalOf } from '../rules/account.ts'
import { hasAdminClaim } from '../rules/admin-claim.ts'
import { readClaims } from '../rules/claim-rules.ts'
import { redirectToFailure } from './sign-in-failure-reply.ts'

export const signInCallback = defineRoute(operation, async ({ query, cookies }, ctx: AuthContext) => {
  const { signInCookies, signInCodes, providers, clock } = ctx
  try {
    const signIn = signInCookies.readState(query.state, cookies, clock.now())
    if (!signIn) throw new SignInFailure('invalid_state')
    const { claimNames, emailPolicy, oidcAdminClaim } = ctx.config
    const { rules } = await ctx.claimRules.read()
    const { identity, account, claims } = await providers
      .get(signIn.provider)
      .completeSignIn(toSearchParams(query), signIn, [
        ...rules.map(rule => rule.claim),
        ...(oidcAdminClaim ? [oidcAdminClaim.name] : []),
      ])
    const refusal = refusalOf(account, emailPolicy)
    if (refusal) throw new SignInFailure(refusal)
    const ruleClaims = readClaims(claims, claimNames)
    const person = await applyAdminClaim(ctx, {
      person: await upsertAccount(ctx, identity, account, ruleClaims),
      isAdministrator: oidcAdminClaim !== undefined && hasAdminClaim(claims, oidcAdminClaim),
      ruleClaims,
    })
    if (person.deactivatedAt) throw new SignInFailure('deactivated', errorCodes.deactivated.detail)
    const { sessionId, code, binding, cookie } = signInCookies.issueSessionId()
    await signInCodes.insert(code, person.id, binding, clock.now() + limits.sessionIdTtlMs)
    return new Reply(null, {
      headers: { location: `/profile#session_id=${sessionId}`, 'cache-control': 'no-store' },
      cookies: [signInCookies.removeState(signIn.state), cookie],
    })
  } catch (error) {
    return redirectToFailure(error, ctx)
  }
})

function toSearchParams(query: Record<string, unknown>): URLSearchParams {
  const params = new URLSearchParams()
  for (const [name, values] of Object.entries(query))
    for (const value of [values].flat()) params.append(name, String(value))
  return params
}
