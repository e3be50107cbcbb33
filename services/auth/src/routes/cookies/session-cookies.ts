import { limits } from '@watchline/contracts/limits'
import { type AccountKind, refreshCookiePath } from '@watchline/identity/cookies'
import type { CookieChange } from '@watchline/kit/http/cookies'
import type { AuthContext } from '../../context.ts'
import type { PersonRecord } from '../../store/person-model.ts'
import type { Session } from '../../store/sessions.ts'

/**
 * The cookies of a session's current generation. The access cookie outlives its token, so that an
 * expired session can still be identified and ended. No token outlives the session.
 */
export function sessionCookies(ctx: AuthContext, session: Session, person: PersonRecord): CookieChange[] {
  const { cookies, signer, refreshTokens, clock } = ctx
  const remainingMs = Math.max(0, session.expiresAt - clock.now())
  const accessToken = signer.sign(
    { sub: person.id, sid: session.sid, ver: person.version, authTimeMs: session.createdAt },
    clock.now(),
    Math.min(limits.accessTokenTtlS, Math.floor(remainingMs / 1_000)),
  )
  const refreshToken = refreshTokens.create(session.sid, session.generation)
  const account: AccountKind = person.role === 'admin' ? 'admin' : 'user'
  return [
    { name: cookies.access, value: accessToken, options: { ...accessOptions(ctx), maxAge: remainingMs } },
    { name: cookies.refresh, value: refreshToken, options: { ...refreshOptions(ctx), maxAge: remainingMs } },
    { name: cookies.account, value: account, options: { ...accountOptions(ctx), maxAge: remainingMs } },
  ]
}

export function removeSessionCookies(ctx: AuthContext): CookieChange[] {
  return [
    { name: ctx.cookies.access, value: null, options: accessOptions(ctx) },
    { name: ctx.cookies.refresh, value: null, options: refreshOptions(ctx) },
    { name: ctx.cookies.account, value: null, options: accountOptions(ctx) },
  ]
}

const accessOptions = ({ cookies }: AuthContext) =>
  ({ httpOnly: true, sameSite: 'lax', path: '/', secure: cookies.secure }) as const
const refreshOptions = ({ cookies }: AuthContext) =>
  ({ httpOnly: true, sameSite: 'lax', path: refreshCookiePath, secure: cookies.secure }) as const
const accountOptions = ({ cookies }: AuthContext) =>
  ({ httpOnly: false, sameSite: 'lax', path: '/', secure: cookies.secure }) as const

export interface RequestCredentials {
  header(name: string): string | undefined
  cookies: Readonly<Record<string, string | undefined>>
}

/**
 * The id of the browser's session, also after its access token has expired. It is enough to end or
 * replace the session, never to act in it.
 */
export function readSessionId(ctx: AuthContext, { header, cookies }: RequestCredentials): string | undefined {
  const [scheme, bearer] = (header('authorization') ?? '').split(' ')
  const token = scheme === 'Bearer' && bearer ? bearer : cookies[ctx.cookies.access]
  return token ? ctx.tokens.verifyIgnoringExpiry(token)?.sid : undefined
}
