import { createHash, randomBytes } from 'node:crypto'
import { limits } from '@watchline/contracts/limits'
import { createHmacSigner, type SecretList } from '@watchline/kit/core/hmac-signer'
import type { CookieChange } from '@watchline/kit/http/cookies'

type Cookies = Readonly<Record<string, string | undefined>>

export type LoginStepCookie = ReturnType<typeof createLoginStepCookie>

/**
 * The short-lived cookie between the password and the second step of an administrator's sign-in. It
 * binds the second step to the browser that gave the password. Ids are hashes, for the database.
 */
export function createLoginStepCookie({ cookieSecrets, secure }: { cookieSecrets: SecretList; secure: boolean }) {
  const name = `${secure ? '__Secure-' : ''}watchline_login_step`
  const options = { httpOnly: true, sameSite: 'strict', path: '/api/admin/login', secure } as const
  const signer = createHmacSigner(cookieSecrets)
  const signedText = (token: string) => `login-step:${token}`
  const idOf = (token: string) => createHash('sha256').update(token).digest('hex')

  return {
    issue: (): { id: string; cookie: CookieChange } => {
      const token = randomBytes(32).toString('base64url')
      const value = `${token}.${signer.sign(signedText(token))}`
      return { id: idOf(token), cookie: { name, value, options: { ...options, maxAge: limits.secondStepTtlMs } } }
    },

    /** Undefined without a cookie, and for a forged one. */
    read: (cookies: Cookies): string | undefined => {
      const [token = '', signature = ''] = (cookies[name] ?? '').split('.')
      return signer.matches(signedText(token), signature) ? idOf(token) : undefined
    },

    removal: { name, value: null, options } satisfies CookieChange,
  }
}
