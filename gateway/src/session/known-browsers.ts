import { limits } from '@watchline/contracts/limits'
import { createHmacSigner, type SecretList } from '@watchline/kit/core/hmac-signer'

export interface KnownBrowsers {
  cookieName: string
  /** The person who signed in with the browser before; undefined without a genuine cookie. */
  read(cookie: string | undefined): string | undefined
  /** The `set-cookie` value after a sign-in of the person. */
  remember(personId: string): string
  /** Whether the cookie is of this person and signed with the secret that signs now. */
  isCurrent(cookie: string | undefined, personId: string): boolean
}

/**
 * A cookie for browsers in which somebody has signed in before. Rate limits count their calls
 * without a session apart from those of their neighbours in the network. The cookie grants nothing
 * else. It names the person, so that many sign-ins of one person allow no more calls.
 */
export function createKnownBrowsers({ secrets, secure }: { secrets: SecretList; secure: boolean }): KnownBrowsers {
  const signer = createHmacSigner(secrets)
  const cookieName = secure ? '__Host-watchline_browser' : 'watchline_browser'
  const maxAgeS = limits.knownBrowserMs / 1_000
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeS}${secure ? '; Secure' : ''}`
  // No login session has this id, so no anti-forgery token has such a signature.
  const signedText = (personId: string) => `known browser|${personId}`

  return {
    cookieName,
    read: cookie => {
      if (cookie === undefined) return undefined
      const { personId, signature } = parse(cookie)
      return signer.matches(signedText(personId), signature) ? personId : undefined
    },
    remember: personId => `${cookieName}=${personId}.${signer.sign(signedText(personId))}; ${attributes}`,
    isCurrent: (cookie, personId) => {
      if (cookie === undefined) return false
      const known = parse(cookie)
      return known.personId === personId && signer.isCurrent(signedText(personId), known.signature)
    },
  }
}

function parse(cookie: string): { personId: string; signature: string } {
  const end = cookie.lastIndexOf('.')
  return { personId: cookie.slice(0, Math.max(0, end)), signature: cookie.slice(end + 1) }
}
