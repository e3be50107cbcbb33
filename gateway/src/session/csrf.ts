import { randomBytes } from 'node:crypto'
import { createHmacSigner, type SecretList } from '@watchline/kit/core/hmac-signer'
import { LRUCache } from 'lru-cache'

/** The binding of tokens without a session. */
export const anonymous = 'anonymous'

export interface Csrf {
  /** A new token for a binding: a login session's id, or {@link anonymous}. */
  issue(binding: string): string
  /** Whether a gateway with one of the secrets issued the token for the binding. */
  matches(token: string | undefined, binding: string): boolean
  /** Whether it matches and is signed with the secret that signs now. */
  isCurrent(token: string | undefined, binding: string): boolean
}

const tokenFormat = /^[\w-]{22}\.[\w-]{43}$/

/**
 * Signed double-submit tokens: `<nonce>.<hmac(secret, binding|nonce)>`. An attacker who can plant a
 * cookie still cannot make one for the victim's session, and a token from before a sign-in is
 * invalid after it.
 */
export function createCsrf(secrets: SecretList): Csrf {
  /** The bindings of valid tokens, so that each token costs one HMAC, not each request. */
  const bindings = new LRUCache<string, string>({ max: 50_000 })
  const signer = createHmacSigner(secrets)
  const signedText = (nonce: string, binding: string) => `${binding}|${nonce}`

  const matches: Csrf['matches'] = (token, binding) => {
    if (token === undefined || !tokenFormat.test(token)) return false
    if (bindings.get(token) === binding) return true
    const [nonce, signature] = token.split('.') as [string, string]
    if (!signer.matches(signedText(nonce, binding), signature)) return false
    bindings.set(token, binding)
    return true
  }

  return {
    issue: binding => {
      const nonce = randomBytes(16).toString('base64url')
      const token = `${nonce}.${signer.sign(signedText(nonce, binding))}`
      bindings.set(token, binding)
      return token
    },
    matches,
    isCurrent: (token, binding) => {
      if (token === undefined || !matches(token, binding)) return false
      const [nonce, signature] = token.split('.') as [string, string]
      return signer.isCurrent(signedText(nonce, binding), signature)
    },
  }
}
