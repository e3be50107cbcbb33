import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * The secrets of one purpose. The first one signs. The others are valid too: a previous one, or the
 * next one before every process has it.
 */
export type SecretList = readonly [string, ...string[]]

/** HMAC-SHA-256 signatures in base64url, 43 characters. */
export interface HmacSigner {
  sign(text: string): string
  /** Whether any of the secrets signed the text. */
  matches(text: string, signature: string): boolean
  /**
   * Whether the secret that signs now signed the text, so that no rotation makes it invalid soon.
   */
  isCurrent(text: string, signature: string): boolean
}

export function createHmacSigner(secrets: SecretList): HmacSigner {
  const signWith = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('base64url')
  const isSignedWith = (secret: string, text: string, signature: string) =>
    equalInConstantTime(signature, signWith(secret, text))
  return {
    sign: text => signWith(secrets[0], text),
    matches: (text, signature) => secrets.some(secret => isSignedWith(secret, text, signature)),
    isCurrent: (text, signature) => isSignedWith(secrets[0], text, signature),
  }
}

/** Compares texts without revealing by its duration where they differ. */
export function equalInConstantTime(left: string, right: string): boolean {
  const leftBytes = Buffer.from(left)
  const rightBytes = Buffer.from(right)
  return leftBytes.length === rightBytes.length && timingSafeEqual(leftBytes, rightBytes)
}
