import type { AnyOperation } from '@watchline/contracts/operation'
import type { Clock } from '@watchline/kit/core/clock'
import { fail } from '@watchline/kit/core/errors'
import type { Caller, IdentifyCaller, Person } from '@watchline/kit/http/caller'
import type { PersonFinder } from './people.ts'
import { type AccessClaims, createTokenVerifier, type TokenVerifier } from './tokens.ts'

interface CallerHost {
  tokens: TokenVerifier
  people: PersonFinder
  clock: Clock
}

/**
 * The gateway rejects expired tokens. A token that is expired here expired on its way, or the
 * clocks differ. An answer `no_session` would sign the person out. The tolerance is longer than the
 * gateway waits for an answer. Source: RFC 7519, 4.1.4, allows some leeway.
 */
const expiryLeewayMs = 30_000

/** Identifies callers by the public token keys and the people of the service. */
export function createCallerIdentification(
  { config, clock }: { config: { tokenPublicKey: string }; clock: Clock },
  people: PersonFinder,
): IdentifyCaller {
  const host = { tokens: createTokenVerifier(config.tokenPublicKey), people, clock }
  return (operation, authorization) => identify(host, operation, authorization)
}

/**
 * The caller by the `Authorization` header, if the operation is open to their role. Fails with
 * `no_session`, `token_expired` (the client may refresh and retry), `deactivated` or `forbidden`.
 * Public operations treat an unknown caller as anonymous.
 */
async function identify(
  host: CallerHost,
  operation: Pick<AnyOperation, 'callers'>,
  authorization: string | undefined,
): Promise<Partial<Caller>> {
  const { claims, expired } = readBearer(host, authorization)
  if (operation.callers === 'anyone') {
    if (!claims) return {}
    const person = await host.people.find(claims.sub, claims.ver)
    return person && !person.deactivatedAt ? toCaller(claims, person) : {}
  }
  if (!claims) fail(expired ? 'token_expired' : 'no_session')
  const person = await host.people.find(claims.sub, claims.ver)
  if (!person) fail('no_session')
  // Their sessions have ended as well. This holds even for a call that was on its way.
  if (person.deactivatedAt) fail('deactivated')
  const { callers } = operation
  if (callers === 'signed-in' || callers.includes(person.role)) return toCaller(claims, person)
  // The person may have got the role a moment ago, so the latest version is read before a refusal.
  const latest = await host.people.find(person.id, person.version + 1).catch(() => undefined)
  if (!latest || latest.deactivatedAt || !callers.includes(latest.role)) fail('forbidden', { personId: person.id })
  return toCaller(claims, latest)
}

function toCaller(claims: AccessClaims, person: Person): Caller {
  return { person, sid: claims.sid, loginTime: claims.auth_time * 1_000 }
}

interface Bearer {
  claims?: AccessClaims
  /** A refresh gives the client a valid token. */
  expired?: boolean
}

function readBearer({ tokens, clock }: CallerHost, authorization = ''): Bearer {
  const [scheme, token] = authorization.split(' ')
  if (scheme !== 'Bearer' || !token) return {}
  const claims = tokens.verify(token, clock.now() - expiryLeewayMs)
  if (claims) return { claims }
  return { expired: tokens.verifyIgnoringExpiry(token) !== undefined || tokens.namesUnknownKey(token) }
}
