import { createHash, randomBytes } from 'node:crypto'
import { limits } from '@watchline/contracts/limits'
import { createHmacSigner, type SecretList } from '@watchline/kit/core/hmac-signer'
import type { CookieChange } from '@watchline/kit/http/cookies'

type Cookies = Readonly<Record<string, string | undefined>>

export type DeviceCookies = ReturnType<typeof createDeviceCookies>

/**
 * A cookie for browsers that have signed in to an account before. Guesses from elsewhere never keep
 * such a browser out, because its attempts are counted apart. The cookie grants nothing else. Each
 * account has a cookie of its own, so that one account's browser is unknown to another account.
 * Source: OWASP, "Slow Down Online Guessing Attacks with Device Cookies".
 */
export function createDeviceCookies({ cookieSecrets, secure }: { cookieSecrets: SecretList; secure: boolean }) {
  const signer = createHmacSigner(cookieSecrets)
  const prefix = secure ? '__Secure-' : ''
  const options = { httpOnly: true, sameSite: 'lax', path: '/api', secure } as const
  const nameOf = (account: string) => `${prefix}watchline_device_${hashOf(account).slice(0, 16)}`
  const textOf = (account: string, deviceId: string) => `device:${hashOf(account)}:${deviceId}`

  /** The id of this browser; undefined unless it has signed in to the account before. */
  function read(account: string, cookies: Cookies): string | undefined {
    const [deviceId = '', signature = ''] = (cookies[nameOf(account)] ?? '').split('.')
    return signer.matches(textOf(account, deviceId), signature) ? deviceId : undefined
  }

  return {
    read,
    /**
     * Remembers the browser, after a successful sign-in. `account` is a normalised email address.
     */
    remember: (account: string, cookies: Cookies): CookieChange => {
      const deviceId = read(account, cookies) ?? randomBytes(16).toString('base64url')
      return {
        name: nameOf(account),
        value: `${deviceId}.${signer.sign(textOf(account, deviceId))}`,
        options: { ...options, maxAge: limits.knownBrowserMs },
      }
    },
  }
}

function hashOf(account: string): string {
  return createHash('sha256').update(account).digest('hex')
}
