import type { IncomingHttpHeaders } from 'node:http'
import type { ServiceName } from '@watchline/contracts/operation'
import { type LowPriority, lowPriorityOf } from '@watchline/contracts/priority'
import type { CookieNames } from '@watchline/identity/cookies'
import type { Clock } from '@watchline/kit/core/clock'
import { equalInConstantTime } from '@watchline/kit/core/hmac-signer'
import { type AdmissionControl, retryAfterS } from '@watchline/kit/http/admission'
import type { PresenceRecorder } from '@watchline/kit/live/presence-recorder'
import type { Forwarder } from '../forward/forwarder.ts'
import { forwardedOrigin, requestHeaders, responseHeaders } from '../forward/headers.ts'
import type { Upstream } from '../forward/upstream.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import type { OperationsByMethod } from '../routing/operation-index.ts'
import type { RoutingRow } from '../routing/routing-table.ts'
import type { Csrf } from '../session/csrf.ts'
import type { KnownBrowsers } from '../session/known-browsers.ts'
import { rateLimitedCaller, type Session, type Sessions } from '../session/sessions.ts'
import type { Exchange } from './exchange.ts'
import { refuse, reply } from './replies.ts'
import { isCrossSite, isCrossSiteWithoutClick } from './request-origin.ts'
import type { Target } from './request-target.ts'

export interface ApiCallsHost {
  publicUrl: string
  clock: Clock
  cookieNames: CookieNames
  sessions: Sessions
  csrf: Csrf
  knownBrowsers: KnownBrowsers
  rateLimits: RateLimits
  /** Refuses calls of low priority while the gateway itself is overloaded. */
  admission: AdmissionControl
  presence: PresenceRecorder
  findRow(path: string): RoutingRow | undefined
  findOperations(path: string): OperationsByMethod | undefined
  /** Documents that the gateway serves itself, by path. */
  apiReference: ReadonlyMap<string, (exchange: Exchange) => void>
  upstreams: Record<ServiceName, Upstream>
  plain: Forwarder
  streams: Forwarder
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** All checks of an API call in their order, then the forwarding to its service. */
export function createApiCalls(host: ApiCallsHost): (exchange: Exchange, target: Target) => void {
  const { clock, sessions, csrf, knownBrowsers, cookieNames } = host
  const ownOrigin = forwardedOrigin(new URL(host.publicUrl))

  return (exchange, { path, query }) => {
    const { req } = exchange
    const method = req.method ?? ''
    const now = clock.now()
    const session = sessions.read(req.headers.cookie, now)
    const { claims } = session
    exchange.personId = claims?.sub
    const row = host.findRow(path)

    if (method === 'GET' && !row?.provider && !csrf.matches(session.xsrf, session.binding))
      exchange.cookies.push(xsrfCookie(csrf.issue(session.binding)))

    const signIn = row?.signIn === true && method === 'POST'
    const caller = rateLimitedCaller(session, exchange.address, knownBrowsers)
    const waitS = host.rateLimits.consume({ ...caller, signIn }, now)
    if (waitS !== undefined) return refuse(exchange, 'too_many', { retryAfterS: waitS })

    if (!safeMethods.has(method) && isCrossSite(req.headers)) return refuse(exchange, 'cross_site')
    if (row?.provider) return forward(exchange, row, session, path + query)

    const document = host.apiReference.get(path)
    if (document) {
      exchange.operation = path.slice('/api/'.length)
      return method === 'GET' || method === 'HEAD' ? document(exchange) : refuseMethod(exchange, ['GET', 'HEAD'])
    }
    const operations = host.findOperations(path)
    if (!row || !operations) return refuse(exchange, 'not_found')
    const operation = operations.get(method)
    if (!operation) return refuseMethod(exchange, [...operations.keys()])
    exchange.operation = operation.name

    if (!safeMethods.has(method) && !operation.serverCall && !hasCsrfToken(exchange, session))
      return refuse(exchange, 'csrf')
    // With an open session at the provider, the sign-in would complete without the person's doing.
    if (operation.name === 'signIn' && isCrossSiteWithoutClick(req.headers))
      return reply(exchange, 302, '', { location: '/', 'cache-control': 'no-store' })
    if (row.session && !claims) return refuse(exchange, refusalOf(session))

    // A sign-out does not count as presence: it would keep the person online until the presence
    // expires.
    if (claims && !operation.name.startsWith('logout'))
      host.presence.report(claims.sub, claims.sid, claims.auth_time * 1_000)
    // After the presence: a person whose polls are refused is still online.
    const priority = lowPriorityOf(req.headers.priority)
    if (!host.admission.admits(priority)) return refuse(exchange, 'overloaded', { retryAfterS })
    forward(exchange, row, session, path + query, priority)
  }

  function forward(exchange: Exchange, row: RoutingRow, session: Session, path: string, priority?: LowPriority) {
    const isAuth = row.service === 'auth'
    const isProvider = row.provider === true
    const headers = requestHeaders(exchange, {
      forwardedOrigin: ownOrigin,
      token: isProvider ? undefined : session.token,
      isAuth,
      authorization: isProvider,
    })
    const makeResponseHeaders = (received: IncomingHttpHeaders) => {
      // undici delivers a single cookie as a string, against its own types.
      const serviceCookies = isAuth ? [received['set-cookie'] ?? []].flat() : []
      return responseHeaders(exchange, received, withXsrfCookie(exchange, session, serviceCookies))
    }
    const call = {
      exchange,
      upstream: host.upstreams[row.service],
      path,
      headers,
      makeResponseHeaders,
      priority,
      needsNoSession: !row.session,
      sid: session.claims?.sid,
    }
    if (row.stream) host.streams.forward(call)
    else host.plain.forward(call)
  }

  /** A reply that changes the session also carries the anti-forgery token for the new one. */
  function withXsrfCookie(exchange: Exchange, session: Session, serviceCookies: readonly string[]): readonly string[] {
    if (serviceCookies.length === 0) return exchange.cookies
    const sessionAfter = sessions.sessionAfter(serviceCookies)
    if (sessionAfter === undefined) return [...serviceCookies, ...exchange.cookies]
    const { binding } = sessionAfter
    // A refresh keeps the session and its token, so that calls of other tabs in flight stay valid.
    // It replaces the token of a previous secret, which becomes invalid when a rotation ends.
    const token = csrf.isCurrent(session.xsrf, binding) ? session.xsrf! : csrf.issue(binding)
    return [...serviceCookies, xsrfCookie(token), ...browserCookies(session, sessionAfter)]
  }

  /** Each sign-in renews the cookie of a known browser; a refresh adds a missing one. */
  function browserCookies(session: Session, { binding, personId }: Pick<Session, 'binding' | 'personId'>): string[] {
    if (personId === undefined) return []
    const isKnown = binding === session.binding && knownBrowsers.isCurrent(session.browser, personId)
    return isKnown ? [] : [knownBrowsers.remember(personId)]
  }

  function hasCsrfToken({ req }: Exchange, { xsrf, binding }: Session): boolean {
    const header = req.headers['x-xsrf-token']
    return (
      typeof header === 'string' &&
      xsrf !== undefined &&
      equalInConstantTime(header, xsrf) &&
      csrf.matches(header, binding)
    )
  }

  function xsrfCookie(token: string): string {
    return `${cookieNames.xsrf}=${token}; Path=/; SameSite=Lax${cookieNames.secure ? '; Secure' : ''}`
  }
}

function refusalOf({ problem = 'no_session' }: Session) {
  return problem === 'unknown_key' ? 'token_expired' : problem
}

function refuseMethod(exchange: Exchange, methods: readonly string[]) {
  const allow = [...methods, 'OPTIONS'].join(', ')
  if (exchange.req.method === 'OPTIONS') reply(exchange, 204, '', { allow })
  else refuse(exchange, 'method_not_allowed', { headers: { allow } })
}
