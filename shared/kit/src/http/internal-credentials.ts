import { createPublicKey } from 'node:crypto'
import type { ServiceName } from '@watchline/contracts/operation'
import jwt from 'jsonwebtoken'
import { LRUCache } from 'lru-cache'
import { type Clock, systemClock } from '../core/clock.ts'
import { ConfigError } from '../core/config-error.ts'
import { equalInConstantTime, type SecretList } from '../core/hmac-signer.ts'
import { acceptedKeys, describeKey, readPrivateKey, type SigningKey } from '../core/signing-keys.ts'

/**
 * The service behind a call, or `any` for a caller with the shared secret of older versions.
 * `unidentified` sent no credential; `refused` sent one that is not valid.
 */
export type InternalCaller = ServiceName | 'any' | 'unidentified' | 'refused'

/** How a service identifies itself to others, and others to it. */
export interface InternalCredentials {
  /** The headers of a call to that service. */
  headersFor(service: ServiceName): Record<string, string>
  identify(header: (name: string) => string | undefined): InternalCaller
}

const tokenTtlMs = 60_000
/** A token is renewed this long before its end, so that it does not expire on its way. */
const renewalMs = 20_000
/** The clocks of two machines may differ by this much. */
const leewayMs = 30_000

/** Settings of the same names. */
interface CredentialConfig {
  internalPrivateKey?: string | undefined
  internalPublicKeys?: string | undefined
  internalSecrets?: SecretList | undefined
}

/**
 * Each service signs short-lived tokens for the service that it calls. A service cannot use a token
 * that it received, because it names its receiver. `INTERNAL_SECRET`, which all services of older
 * versions share, is sent and accepted if it is set.
 */
export function createInternalCredentials(
  name: string,
  config: CredentialConfig,
  clock: Clock = systemClock,
): InternalCredentials {
  const { internalSecrets = [] } = config
  const keys = readServiceKeys(config.internalPublicKeys)
  const signingKey = readOwnKey(name, config.internalPrivateKey, keys)
  const tokens = new Map<string, { token: string; expiresAt: number }>()
  const verified = new LRUCache<string, { caller: ServiceName; expiresAt: number }>({ max: 1_000 })

  function tokenFor(key: SigningKey, service: string): string {
    const now = clock.now()
    const current = tokens.get(service)
    if (current && now < current.expiresAt - renewalMs) return current.token
    const iat = Math.floor(now / 1_000)
    const exp = iat + tokenTtlMs / 1_000
    const claims = { iss: name, aud: service, iat, exp }
    const token = jwt.sign(claims, key.key, { algorithm: key.algorithm, keyid: key.kid })
    tokens.set(service, { token, expiresAt: exp * 1_000 })
    return token
  }

  function callerOf(token: string): ServiceName | 'refused' {
    const known = verified.get(token) ?? verifyToken(token)
    if (!known || known.expiresAt + leewayMs <= clock.now()) return 'refused'
    verified.set(token, known)
    return known.caller
  }

  function verifyToken(token: string) {
    try {
      const kid = jwt.decode(token, { complete: true })?.header.kid
      const key = keys.find(candidate => candidate.kid === kid)
      if (!key) return undefined
      const options = { algorithms: [key.algorithm], audience: name, ignoreExpiration: true }
      const { iss, exp } = jwt.verify(token, key.key, options) as jwt.JwtPayload
      const caller = key.services.find(service => service === iss)
      return caller && exp ? { caller, expiresAt: exp * 1_000 } : undefined
    } catch {
      return undefined
    }
  }

  return {
    headersFor: service => ({
      ...(signingKey && { authorization: `Bearer ${tokenFor(signingKey, service)}` }),
      ...(internalSecrets[0] && { 'x-internal-secret': internalSecrets[0] }),
    }),
    identify: header => {
      const token = header('authorization')?.replace(/^Bearer /, '')
      const secret = header('x-internal-secret')
      const caller = token && keys.length > 0 ? callerOf(token) : 'unidentified'
      if (caller !== 'unidentified' && caller !== 'refused') return caller
      if (secret && internalSecrets.some(accepted => equalInConstantTime(secret, accepted))) return 'any'
      return token || secret ? 'refused' : 'unidentified'
    },
  }
}

/** A public key with the services that use it: one each, or all of a development instance. */
interface ServiceKey extends SigningKey {
  services: ServiceName[]
}

/** Lines of `<service> <key>`, the key as the base64 of its DER (SubjectPublicKeyInfo). */
function readServiceKeys(lines = ''): ServiceKey[] {
  const byId = new Map<string, ServiceKey>()
  for (const line of lines.split(/\r?\n/).filter(Boolean)) {
    const [service, base64 = ''] = line.trim().split(/\s+/) as [ServiceName, string?]
    const key = readSetting('INTERNAL_PUBLIC_KEYS', 'lines of a service and its public key', () =>
      describeKey(createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' })),
    )
    const known = byId.get(key.kid) ?? { ...key, services: [] }
    known.services.push(service)
    byId.set(key.kid, known)
  }
  return [...byId.values()]
}

/**
 * Fails if the other services could not verify the key, which would be noticed only by refusals.
 */
function readOwnKey(name: string, pem: string | undefined, keys: readonly ServiceKey[]): SigningKey | undefined {
  if (!pem) return undefined
  const own = readSetting('INTERNAL_PRIVATE_KEY', acceptedKeys, () => readPrivateKey(pem))
  if (!keys.some(key => key.kid === own.kid && key.services.includes(name as ServiceName)))
    throw new ConfigError(
      `INTERNAL_PRIVATE_KEY: (hidden) was given, accepted is the private key of one of ${name} in INTERNAL_PUBLIC_KEYS`,
    )
  return own
}

function readSetting<T>(name: string, accepted: string, read: () => T): T {
  try {
    return read()
  } catch {
    throw new ConfigError(`${name}: (hidden) was given, accepted is ${accepted}`)
  }
}
