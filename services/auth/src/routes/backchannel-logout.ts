import { backchannelLogout as operation } from '@watchline/contracts/auth'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import { decodeJwt } from 'jose'
import { endProviderSessions } from '../actions/end-provider-sessions.ts'
import { SignInFailure } from '../clients/sign-in-failure.ts'
import type { AuthContext } from '../context.ts'

/** Only the token proves the caller: it is signed by the provider and valid once. */
export const backchannelLogout = defineRoute(operation, async ({ body }, ctx: AuthContext) => {
  const issuer = ctx.providers.findByIssuer(readIssuer(body.logout_token))
  if (!issuer) fail('invalid_logout_token')
  const { id, provider } = issuer
  const token = await provider.verifyLogoutToken(body.logout_token).catch(failIfUnavailable)
  if (!token) fail('invalid_logout_token')
  try {
    await endProviderSessions(ctx, { provider: { id, accountIssuer: provider.accountIssuer }, token })
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    fail('invalid_logout_token')
  }
  return new Reply({ success: true as const })
})

/** The issuer that the token claims, before its signature is verified. */
function readIssuer(token: string): string {
  try {
    return decodeJwt(token).iss ?? ''
  } catch {
    return ''
  }
}

function failIfUnavailable(error: unknown): never {
  if (!(error instanceof SignInFailure)) throw error
  fail('unavailable', { cause: error, retryAfterS: 5 })
}
