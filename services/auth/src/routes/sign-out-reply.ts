import { limits } from '@watchline/contracts/limits'
import { Reply } from '@watchline/kit/http/route'
import { endSession } from '../actions/end-session.ts'
import type { AuthContext } from '../context.ts'
import type { Session } from '../store/sessions.ts'
import { type RequestCredentials, readSessionId, removeSessionCookies } from './cookies/session-cookies.ts'

/** The answers stay in no cache. Unsent work is in the storage, so that is not cleared. */
const headers = { 'clear-site-data': '"cache"' }

/**
 * Ends the browser's session. The next sign-in in this browser asks who it is, also if the
 * person remains signed in at the provider.
 */
export async function signOut(ctx: AuthContext, credentials: RequestCredentials) {
  const sid = readSessionId(ctx, credentials)
  const ended = sid === undefined ? undefined : await endSession(ctx, sid, 'signed_out')
  const provider = ended?.provider ? ctx.providers.find(ended.provider.id) : undefined
  const open = (sealed: string | undefined) => sealed && ctx.providerTokenBox.open(sealed, ended!.personId)
  const refreshToken = open(ended?.providerCheck?.sealedToken)
  // Some providers revoke all tokens of the person together, and the daily check of other sessions
  // needs theirs (RFC 7009 section 2.1). The person does not wait for the provider.
  if (refreshToken && !(await hasOtherSession(ctx, ended!))) void provider?.revokeRefreshToken(refreshToken)
  const url = ctx.config.signOutAtProvider ? await provider?.findSignOutUrl(open(ended?.sealedIdToken)) : undefined
  return new Reply(
    { success: true as const, ...(url !== undefined && { sign_out_url: url }) },
    { cookies: [...removeSessionCookies(ctx), ctx.signInCookies.markSignedOut()], headers },
  )
}

async function hasOtherSession(ctx: AuthContext, { personId, provider }: Session): Promise<boolean> {
  const sessions = await ctx.sessions.listActive(personId, ctx.clock.now(), { limit: limits.sessionsPerPerson })
  return sessions.some(session => session.provider?.id === provider?.id)
}
