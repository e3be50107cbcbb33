import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { createTokenSigner, createTokenVerifier } from '@watchline/identity/tokens'
import { describeKey } from '@watchline/kit/core/signing-keys'
import { ConfigError } from '@watchline/kit/process/config'
import jwt from 'jsonwebtoken'

const now = Date.UTC(2026, 0, 5)
const pem = (key: KeyObject) =>
  key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' } as never) as string
const createKeys = ({ privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject }) => ({
  privateKey: pem(privateKey),
  publicKey: pem(publicKey),
})
const rsa = createKeys(generateKeyPairSync('rsa', { modulusLength: 2048 }))
const current = createKeys(generateKeyPairSync('ec', { namedCurve: 'P-256' }))
const next = createKeys(generateKeyPairSync('ec', { namedCurve: 'P-256' }))
const person = { sub: 'p1', sid: 's1', ver: 1, authTimeMs: now }
const sign = (privateKey: string) => createTokenSigner(privateKey).sign(person, now, 600)
/** As older versions signed: without the id of the key. */
const signWithoutId = (privateKey: string, algorithm: jwt.Algorithm) => {
  const claims = {
    sub: 'p1',
    sid: 's1',
    ver: 1,
    auth_time: 1,
    exp: now / 1_000 + 600,
    iss: 'watchline',
    aud: 'watchline',
  }
  return jwt.sign(claims, privateKey, { algorithm })
}

describe('an access token', () => {
  test.each([
    ['RSA', rsa],
    ['P-256', current],
  ])('of a key of type %s is valid for its time', (_, keys) => {
    const verifier = createTokenVerifier(keys.publicKey)
    expect(verifier.verify(sign(keys.privateKey), now)).toMatchObject({ sub: 'p1', sid: 's1' })
    expect(verifier.verify(sign(keys.privateKey), now + 600_000)).toBeUndefined()
  })

  test('of each key of a set is valid, with and without the id of its key', () => {
    const verifier = createTokenVerifier(`${rsa.publicKey}\n${current.publicKey}${next.publicKey}`)
    for (const { privateKey } of [rsa, current, next]) expect(verifier.verify(sign(privateKey), now)).toBeDefined()
    expect(verifier.verify(signWithoutId(rsa.privateKey, 'RS256'), now)).toBeDefined()
    expect(verifier.verify(signWithoutId(next.privateKey, 'ES256'), now)).toBeDefined()
  })

  test('of another key is not valid, whatever key it names', () => {
    const verifier = createTokenVerifier(`${rsa.publicKey}${current.publicKey}`)
    const { kid } = createTokenSigner(current.privateKey)
    const [, payload] = sign(next.privateKey).split('.')
    const forged = jwt.sign(Buffer.from(payload!, 'base64url').toString(), next.privateKey, {
      algorithm: 'ES256',
      keyid: kid,
    })
    for (const token of [sign(next.privateKey), signWithoutId(next.privateKey, 'ES256'), forged])
      expect(verifier.verifyIgnoringExpiry(token)).toBeUndefined()
    expect([sign(next.privateKey), forged].map(verifier.namesUnknownKey)).toEqual([true, false])
    for (const text of ['', 'a.b.c', 'nonsense', signWithoutId(next.privateKey, 'ES256')])
      expect(verifier.namesUnknownKey(text)).toBe(false)
  })

  test('signed with a public key as an HMAC secret is not valid', () => {
    const verifier = createTokenVerifier(current.publicKey)
    const { kid } = createTokenSigner(current.privateKey)
    const [, payload] = sign(current.privateKey).split('.')
    const head = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT', kid })).toString('base64url')
    const signature = createHmac('sha256', current.publicKey).update(`${head}.${payload}`).digest('base64url')
    expect(verifier.verify(`${head}.${payload}.${signature}`, now)).toBeUndefined()
  })
})

test('the id of a key is its thumbprint, as in RFC 7638', () => {
  const n =
    '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMs' +
    'tn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbI' +
    'SD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw'
  const key = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' })
  expect(describeKey(key).kid).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs')
})

test('keys that cannot be used are refused by the name of their setting', () => {
  const weak = createKeys(generateKeyPairSync('rsa', { modulusLength: 1024 }))
  const other = createKeys(generateKeyPairSync('ed25519'))
  for (const { privateKey, publicKey } of [weak, other, { privateKey: 'x', publicKey: 'x' }]) {
    expect(() => createTokenVerifier(`${current.publicKey}${publicKey}`.slice(publicKey === 'x' ? -1 : 0))).toThrow(
      new ConfigError(
        'TOKEN_PUBLIC_KEY: (hidden) was given, accepted is a key in PEM, P-256 or RSA with at least 2048 bits',
      ),
    )
    expect(() => createTokenSigner(privateKey)).toThrow('TOKEN_PRIVATE_KEY')
  }
})
