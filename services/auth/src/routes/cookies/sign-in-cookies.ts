import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { CookieChange } from '@watchline/kit/http/route'
import { z } from 'zod'

/** What must be remembered in the browser between leaving for the provider and coming back. */
const signInState = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), startedAt: z.number() })
export type SignInState = z.infer<typeof signInState>

type Cookies = Readonly<Record<string, string | undefined>>

const signInTtlMs = 10 * 60_000
const maxOpenSignIns = 5
const path = '/api/auth'

export type SignInCookies = ReturnType<typeof createSignInCookies>

/**
 * The short-lived cookies of a sign-in, each named after what it belongs to, so that sign-ins in two tabs do not meet: one binds
 * the provider's answer to the browser that asked (signed), one the session_id to the browser it was given to.
 */
export function createSignInCookies({ cookieSecret, secure }: { cookieSecret: string; secure: boolean }) {
  const prefix = secure ? '__Secure-' : ''
  const options = { httpOnly: true, sameSite: 'lax', path, secure } as const
  const statePrefix = `${prefix}watchline_signin_`
  const stateName = (state: string) => `${statePrefix}${sha256(state).slice(0, 16)}`
  const bindingName = (sessionId: string) => `${prefix}watchline_binding_${sha256(sessionId).slice(0, 16)}`
  const sign = (text: string) => createHmac('sha256', cookieSecret).update(`sign-in:${text}`).digest('base64url')
  const removed = (name: string): CookieChange => ({ name, value: null, options })

  return {
    /** Sets the state's cookie; too many that never came back are cleared away. */
    begin: (value: SignInState, present: Cookies): CookieChange[] => {
      const text = Buffer.from(JSON.stringify(value)).toString('base64url')
      const open = Object.keys(present).filter(name => name.startsWith(statePrefix))
      return [
        ...(open.length >= maxOpenSignIns ? open.map(removed) : []),
        { name: stateName(value.state), value: `${text}.${sign(text)}`, options: { ...options, maxAge: signInTtlMs } },
      ]
    },

    /** What was remembered for this state; undefined for a forged, foreign or old one. */
    read: (state: unknown, present: Cookies, now: number): SignInState | undefined => {
      if (typeof state !== 'string') return undefined
      const [text = '', signature = ''] = (present[stateName(state)] ?? '').split('.')
      if (!isSame(signature, sign(text))) return undefined
      const value = signInState.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
      return value.state === state && now - value.startedAt < signInTtlMs ? value : undefined
    },

    end: (state: string): CookieChange => removed(stateName(state)),

    /** A fresh session_id with the cookie that the login will ask for. Only the hashes are stored. */
    issue: () => {
      const sessionId = randomBytes(32).toString('base64url')
      const binding = randomBytes(32).toString('base64url')
      const cookie: CookieChange = {
        name: bindingName(sessionId),
        value: binding,
        options: { ...options, maxAge: signInTtlMs },
      }
      return { sessionId, code: sha256(sessionId), binding: sha256(binding), cookie }
    },

    /** The hashes a session_id is looked up by, and the cookie's removal. */
    redeem: (sessionId: string, present: Cookies) => ({
      code: sha256(sessionId),
      binding: sha256(present[bindingName(sessionId)] ?? ''),
      cookie: removed(bindingName(sessionId)),
    }),
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function isSame(given: string, expected: string): boolean {
  const a = Buffer.from(given)
  const b = Buffer.from(expected)
  return a.length === b.length && timingSafeEqual(a, b)
}
