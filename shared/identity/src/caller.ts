import type { AnyOperation } from '@watchline/contracts/operation'
import type { Clock } from '@watchline/kit/core/clock'
import { fail } from '@watchline/kit/core/errors'
import type { Caller, IdentifyCaller, Person } from '@watchline/kit/http/caller'
import type { PersonFinder } from './people.ts'
import { type AccessClaims, createTokenVerifier, type TokenVerifier } from './tokens.ts'

/** The dependencies of caller identification. */
interface CallerHost {
  tokens: TokenVerifier
  people: PersonFinder
  clock: Clock
}

/**
 * The gateway lets nobody in whose token has expired; so one that has expired here did so on the way, or by a clock that goes ahead. To
 * call that no session would sign somebody out who is signed in. Longer than the gateway waits for an answer. Source: RFC 7519, 4.1.4,
 * which allows for some leeway.
 */
const expiredOnTheWayMs = 30_000

/** Identifies the callers of a service by its public token key and its people. */
export function createCallerIdentification(
  { config, clock }: { config: { tokenPublicKey: string }; clock: Clock },
  people: PersonFinder,
): IdentifyCaller {
  const host = { tokens: createTokenVerifier(config.tokenPublicKey), people, clock }
  return (operation, authorization) => identify(host, operation, authorization)
}

/**
 * The caller by the `Authorization` header, if the operation is for them. Refuses with `no_session`, `token_expired` (refreshed, it may
 * go) or `forbidden`; of an operation for anyone whoever is not known is nobody.
 */
async function identify(
  host: CallerHost,
  operation: Pick<AnyOperation, 'callers'>,
  authorization: string | undefined,
): Promise<Partial<Caller>> {
  const { claims, expired } = bearerOf(host, authorization)
  if (operation.callers === 'anyone') {
    if (!claims) return {}
    const person = await host.people.find(claims.sub, claims.ver)
    return person ? callerOf(claims, person) : {}
  }
  if (!claims) fail(expired ? 'token_expired' : 'no_session')
  const person = await host.people.find(claims.sub, claims.ver)
  if (!person) fail('no_session')
  const { callers } = operation
  if (callers === 'signed-in' || callers.includes(person.role)) return callerOf(claims, person)
  // They may have been given the role a moment ago: whether there is anything newer is asked once before saying no.
  const latest = await host.people.find(person.id, person.version + 1).catch(() => undefined)
  if (!latest || !callers.includes(latest.role)) fail('forbidden')
  return callerOf(claims, latest)
}

function callerOf(claims: AccessClaims, person: Person): Caller {
  return { person, sid: claims.sid, loginTime: claims.auth_time * 1_000 }
}

interface Bearer {
  claims?: AccessClaims
  expired?: boolean
}

function bearerOf({ tokens, clock }: CallerHost, authorization = ''): Bearer {
  const [scheme, token] = authorization.split(' ')
  if (scheme !== 'Bearer' || !token) return {}
  const claims = tokens.verify(token, clock.now() - expiredOnTheWayMs)
  return claims ? { claims } : { expired: tokens.verifyIgnoringExpiry(token) !== undefined }
}
