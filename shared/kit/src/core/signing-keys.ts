import { createHash, createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'

/** The JWA algorithms of signatures: one for each type of key. */
export type SigningAlgorithm = 'ES256' | 'RS256'

export interface SigningKey {
  key: KeyObject
  /** The thumbprint of the public key (RFC 7638), so that a key has the same id everywhere. */
  kid: string
  algorithm: SigningAlgorithm
}

const minRsaBits = 2048
export const acceptedKeys = `a key in PEM, P-256 or RSA with at least ${minRsaBits} bits`

/** The public keys of a text with any number of PEM blocks. Throws if one cannot be used. */
export function readPublicKeys(pem: string): SigningKey[] {
  const blocks = pem.match(/-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g) ?? []
  if (blocks.length === 0) throw new Error('the text has no PEM block')
  return blocks.map(block => describeKey(createPublicKey(block)))
}

/** Throws if the key cannot be used. */
export function readPrivateKey(pem: string): SigningKey {
  return describeKey(createPrivateKey(pem))
}

export function describeKey(key: KeyObject): SigningKey {
  return { key, kid: thumbprint(publicJwk(key)), algorithm: algorithmOf(key) }
}

/** The public part as a JWK without metadata. */
export function publicJwk(key: KeyObject): JsonWebKey {
  return (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' })
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningAlgorithm {
  const { namedCurve, modulusLength = 0 } = asymmetricKeyDetails ?? {}
  if (asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') return 'ES256'
  if (asymmetricKeyType === 'rsa' && modulusLength >= minRsaBits) return 'RS256'
  throw new Error(`a key of type ${asymmetricKeyType} cannot be used`)
}

/** RFC 7638: the hash of the required members of a public key, in the order of their names. */
export function thumbprint({ kty, crv, x, y, e, n }: JsonWebKey): string {
  const members = kty === 'RSA' ? { e, kty, n } : { crv, kty, x, y }
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url')
}
