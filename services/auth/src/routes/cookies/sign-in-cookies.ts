import { createHash, randomBytes } from 'node:crypto'
import { createHmacSigner, type SecretList } from '@watchline/kit/core/hmac-signer'
import type { CookieChange } from '@watchline/kit/http/cookies'
import { z } from 'zod'
import type { SignInState } from '../../clients/identity-provider.ts'

const signInState: z.ZodType<SignInState> = z.object({
  provider: z.string().optional(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  startedAt: z.number(),
  endOtherSessions: z.boolean().optional(),
})

/** The reason why a sign-in failed, for the page that shows it. `failedAt` in ms. */
const shownFailure = z.object({ error: z.string(), description: z.string(), failedAt: z.number() })
export type ShownFailure = z.infer<typeof shownFailure>

type Cookies = Readonly<Record<string, string | undefined>>

const signInTtlMs = 10 * 60_000
const failureTtlMs = 60_000
const maxOpenSignIns = 5
const signedOutTtlMs = 30 * 24 * 3_600_000
const path = '/api/auth'

export type SignInCookies = ReturnType<typeof createSignInCookies>

/**
 * The short-lived cookies of a sign-in. A signed state cookie binds the provider's answer to the
 * browser that started the sign-in. A binding cookie binds the session_id to the browser that
 * received it. Each is named after its state or session_id, so that sign-ins in two tabs do not
 * collide.
 */
export function createSignInCookies({ cookieSecrets, secure }: { cookieSecrets: SecretList; secure: boolean }) {
  const prefix = secure ? '__Secure-' : ''
  const options = { httpOnly: true, sameSite: 'lax', path, secure } as const
  const statePrefix = `${prefix}watchline_signin_`
  const stateName = (state: string) => `${statePrefix}${sha256(state).slice(0, 16)}`
  const bindingName = (sessionId: string) => `${prefix}watchline_binding_${sha256(sessionId).slice(0, 16)}`
  const signer = createHmacSigner(cookieSecrets)
  const failureName = `${prefix}watchline_failure`
  const write = (purpose: string, value: object) => {
    const text = Buffer.from(JSON.stringify(value)).toString('base64url')
    return `${text}.${signer.sign(`sign-in:${purpose}${text}`)}`
  }
  /** The JSON of a cookie; undefined unless it was written with the same purpose. */
  const read = (purpose: string, cookie: string | undefined): unknown => {
    const [text = '', signature = ''] = (cookie ?? '').split('.')
    return signer.matches(`sign-in:${purpose}${text}`, signature)
      ? JSON.parse(Buffer.from(text, 'base64url').toString())
      : undefined
  }
  const signedOutName = `${prefix}watchline_signed_out`
  const removal = (name: string): CookieChange => ({ name, value: null, options })

  return {
    /** Sets the state cookie. Removes the state cookies of too many unfinished sign-ins. */
    setState: (value: SignInState, cookies: Cookies): CookieChange[] => {
      const open = Object.keys(cookies).filter(name => name.startsWith(statePrefix))
      return [
        ...(open.length >= maxOpenSignIns ? open.map(removal) : []),
        { name: stateName(value.state), value: write('', value), options: { ...options, maxAge: signInTtlMs } },
      ]
    },

    /** The sign-in of this state; undefined for a forged, unknown or expired one. */
    readState: (state: unknown, cookies: Cookies, now: number): SignInState | undefined => {
      if (typeof state !== 'string') return undefined
      const { data } = signInState.safeParse(read('', cookies[stateName(state)]))
      return data?.state === state && now - data.startedAt < signInTtlMs ? data : undefined
    },

    /** Proves to `readFailure` that the words come from a sign-in and not from somebody's link. */
    setFailure: (failure: ShownFailure): CookieChange => ({
      name: failureName,
      value: write('failure:', failure),
      options: { ...options, maxAge: failureTtlMs },
    }),

    /** The reason why this browser's latest sign-in failed; undefined if it is longer ago. */
    readFailure: (cookies: Cookies, now: number): ShownFailure | undefined => {
      const { data } = shownFailure.safeParse(read('failure:', cookies[failureName]))
      return data && now - data.failedAt < failureTtlMs ? data : undefined
    },

    /**
     * The next sign-in in this browser asks who it is. It proves nothing, so it has no signature.
     */
    markSignedOut: (): CookieChange => ({
      name: signedOutName,
      value: '1',
      options: { ...options, maxAge: signedOutTtlMs },
    }),
    isSignedOut: (cookies: Cookies): boolean => cookies[signedOutName] !== undefined,
    clearSignedOut: (): CookieChange => removal(signedOutName),

    removeState: (state: string): CookieChange => removal(stateName(state)),

    /**
     * A new session_id with its binding cookie. `code` and `binding` are hashes, for the database.
     */
    issueSessionId: () => {
      const sessionId = randomBytes(32).toString('base64url')
      const binding = randomBytes(32).toString('base64url')
      const cookie: CookieChange = {
        name: bindingName(sessionId),
        value: binding,
        options: { ...options, maxAge: signInTtlMs },
      }
      return { sessionId, code: sha256(sessionId), binding: sha256(binding), cookie }
    },

    /** The hashes of a session_id and its binding cookie, and the removal of that cookie. */
    readSessionId: (sessionId: string, cookies: Cookies) => ({
      code: sha256(sessionId),
      binding: sha256(cookies[bindingName(sessionId)] ?? ''),
      cookie: removal(bindingName(sessionId)),
    }),
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
