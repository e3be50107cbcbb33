import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** What a token is bound to while nobody is signed in. */
export const anonymous = 'anonymous'

export interface Csrf {
  /** A new token for a binding: a login session's id, or {@link anonymous}. */
  issue(binding: string): string
  /** Whether this gateway, or another with the same secret, issued the token for the binding. */
  fits(token: string | undefined, binding: string): boolean
}

const form = /^[\w-]{22}\.[\w-]{43}$/

/**
 * Signed double submit: `<nonce>.<hmac(secret, binding|nonce)>`. Who can plant a cookie still cannot make one that fits the
 * victim's session, and a token from before a sign-in is worth nothing after it.
 */
export function createCsrf(secret: string): Csrf {
  /** Tokens found good, and what they are bound to: one HMAC a token rather than one a request. */
  const known = new LRUCache<string, string>({ max: 50_000 })
  const sign = (nonce: string, binding: string) =>
    createHmac('sha256', secret).update(`${binding}|${nonce}`).digest('base64url')

  return {
    issue: binding => {
      const nonce = randomBytes(16).toString('base64url')
      const token = `${nonce}.${sign(nonce, binding)}`
      known.set(token, binding)
      return token
    },
    fits: (token, binding) => {
      if (token === undefined || !form.test(token)) return false
      if (known.get(token) === binding) return true
      const [nonce, signature] = token.split('.') as [string, string]
      if (!equal(signature, sign(nonce, binding))) return false
      known.set(token, binding)
      return true
    },
  }
}

/** Compares in a time that tells nothing about where two texts differ. */
export function equal(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
