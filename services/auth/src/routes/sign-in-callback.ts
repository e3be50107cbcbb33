import { signInCallback as operation } from '@watchline/contracts/auth'
import { errorCodes } from '@watchline/contracts/errors'
import { limits } from '@watchline/contracts/limits'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { applyAdminClaim } from '../actions/apply-admin-claim.ts'
import { upsertAccount } from '../actions/upsert-account.ts'
import { signedOutState } from '../clients/identity-provider.ts'
import { SignInFailure } from '../clients/sign-in-failure.ts'
import { defaultProviderId } from '../config.ts'
import type { AuthContext } from '../context.ts'
import { refusalOf } from '../rules/account.ts'
import { hasAdminClaim } from '../rules/admin-claim.ts'
import { readClaims } from '../rules/claim-rules.ts'
import { redirectToFailure } from './sign-in-failure-reply.ts'

export const signInCallback = defineRoute(operation, async ({ query, cookies, address }, ctx: AuthContext) => {
  const { signInCookies, signInCodes, providers, clock } = ctx
  if (isReturnFromSignOut(query, signInCookies.isSignedOut(cookies)))
    return new Reply(null, { headers: { location: '/' } })
  try {
    const signIn = signInCookies.readState(query.state, cookies, clock.now())
    if (!signIn) throw new SignInFailure('invalid_state')
    const client = providers.get(signIn.provider)
    const { emailPolicy } = ctx.config
    const claimNames = client.isTrustedFor('roles') ? ctx.config.claimNames : []
    const adminClaim = client.isTrustedFor('administrators') ? ctx.config.oidcAdminClaim : undefined
    const rules = client.isTrustedFor('roles') ? (await ctx.claimRules.read()).rules : []
    const { identity, account, claims, sid, isFresh, refreshToken, idToken } = await client.completeSignIn(
      toSearchParams(query),
      signIn,
      [...rules.map(rule => rule.claim), ...(adminClaim ? [adminClaim.name] : [])],
    )
    const allowedDomains = client.allowedDomains ?? emailPolicy.allowedDomains
    const refusal = refusalOf(account, { ...emailPolicy, allowedDomains })
    if (refusal) throw new SignInFailure(refusal)
    const ruleClaims = readClaims(claims, claimNames)
    const person = await applyAdminClaim(ctx, {
      person: await upsertAccount(ctx, identity, account, {
        claims: ruleClaims,
        mayBeInvited: client.isTrustedFor('invitations'),
      }),
      isAdministrator: adminClaim !== undefined && hasAdminClaim(claims, adminClaim),
      ruleClaims,
    })
    if (person.deactivatedAt) throw new SignInFailure('deactivated', errorCodes.deactivated.detail)
    const { sessionId, code, binding, cookie } = signInCookies.issueSessionId()
    const provider = signIn.provider ?? defaultProviderId
    await signInCodes.insert(
      code,
      binding,
      {
        personId: person.id,
        provider: { id: provider, sid: sid ?? null },
        sealedToken: refreshToken && ctx.providerTokenBox.seal(refreshToken, person.id),
        sealedIdToken:
          idToken && ctx.config.signOutAtProvider ? ctx.providerTokenBox.seal(idToken, person.id) : undefined,
        mayEndOtherSessions: signIn.endOtherSessions === true && isFresh,
      },
      clock.now() + limits.sessionIdTtlMs,
    )
    const answer = new URLSearchParams({
      session_id: sessionId,
      provider,
      ...(signIn.endOtherSessions && { end_other_sessions: 'true' }),
    })
    return new Reply(null, {
      headers: { location: `/profile#${answer}`, 'cache-control': 'no-store' },
      cookies: [signInCookies.removeState(signIn.state), cookie],
    })
  } catch (error) {
    return redirectToFailure(error, ctx, address)
  }
})

/** The provider comes back here after a sign-out, too. Some providers leave the state out. */
function isReturnFromSignOut(query: Record<string, unknown>, isSignedOut: boolean): boolean {
  const names = Object.keys(query)
  return (names.length === 0 && isSignedOut) || (names.length === 1 && query.state === signedOutState)
}

function toSearchParams(query: Record<string, unknown>): URLSearchParams {
  const params = new URLSearchParams()
  for (const [name, values] of Object.entries(query))
    for (const value of [values].flat()) params.append(name, String(value))
  return params
}
