import type { IncomingHttpHeaders } from 'node:http'
import type { ServiceName } from '@watchline/contracts/operation'
import type { CookieNames } from '@watchline/identity/cookies'
import type { Clock } from '@watchline/kit/core/clock'
import type { PresenceRecorder } from '@watchline/kit/live/presence-recorder'
import type { Methods } from './catalogue.ts'
import type { GatewayConfig } from './config.ts'
import { type Csrf, equal } from './csrf.ts'
import { answer, type Exchange, refuse } from './exchange.ts'
import type { Forwarder } from './forward/forward.ts'
import type { Upstream } from './forward/upstream.ts'
import { requestHeaders, responseHeaders } from './headers.ts'
import type { RateLimits } from './rate-limits.ts'
import type { Row } from './routing.ts'
import type { Session, Sessions } from './sessions.ts'
import type { Target } from './target.ts'

export interface ApiHost {
  config: Pick<GatewayConfig, 'publicUrl'>
  clock: Clock
  cookieNames: CookieNames
  sessions: Sessions
  csrf: Csrf
  rateLimits: RateLimits
  presence: PresenceRecorder
  /** The row of the routing table for a path. */
  rowFor(path: string): Row | undefined
  operationsAt(path: string): Methods | undefined
  /** Documents the gateway answers itself, by path. */
  documents: ReadonlyMap<string, (exchange: Exchange) => void>
  upstreams: Record<ServiceName, Upstream>
  plain: Forwarder
  stream: Forwarder
}

const safe = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The way of a call through the gateway, from the first check to the service. */
export function createApi(host: ApiHost): (exchange: Exchange, target: Target) => void {
  const { clock, sessions, csrf, cookieNames } = host
  const publicUrl = new URL(host.config.publicUrl)

  return (exchange, { path, query }) => {
    const { req } = exchange
    const method = req.method ?? ''
    const now = clock.now()
    const session = sessions.read(req.headers.cookie, now)
    const { claims } = session
    const row = host.rowFor(path)

    if (method === 'GET' && !row?.provider && !csrf.fits(session.xsrf, session.binding))
      exchange.cookies.push(xsrfCookie(csrf.issue(session.binding)))

    const caller = { sid: claims?.sid, address: exchange.address, signIn: row?.signIn === true && method === 'POST' }
    const waitS = host.rateLimits.hit(caller, now)
    if (waitS !== undefined) return refuse(exchange, 'too_many', { retryAfterS: waitS })

    if (row?.provider) return forward(exchange, row, session, path + query)

    const document = host.documents.get(path)
    const methods = host.operationsAt(path)
    if (document) {
      exchange.operation = path.slice('/api/'.length)
      return method === 'GET' || method === 'HEAD' ? document(exchange) : refuseMethod(exchange, ['GET', 'HEAD'])
    }
    if (!row || !methods) return refuse(exchange, 'not_found')
    const operation = methods.get(method)
    if (!operation) return refuseMethod(exchange, [...methods.keys()])
    exchange.operation = operation.name

    if (!safe.has(method) && !csrfHolds(exchange, session)) return refuse(exchange, 'csrf')
    if (row.session && !claims) return refuse(exchange, session.problem ?? 'no_session')

    // A sign-out is no sign of life: noted, it would keep the person online for as long as the note lasts.
    if (claims && !operation.name.startsWith('logout'))
      host.presence.note(claims.sub, claims.sid, claims.auth_time * 1_000)
    forward(exchange, row, session, path + query)
  }

  function forward(exchange: Exchange, row: Row, session: Session, path: string) {
    const auth = row.service === 'auth'
    const provider = row.provider === true
    const headers = requestHeaders(exchange, {
      publicUrl,
      token: provider ? undefined : session.token,
      cookies: auth,
      authorization: provider,
    })
    const answerHeaders = (given: IncomingHttpHeaders) => {
      // undici gives a single one as a text, whatever its types say.
      const fromService = auth ? [given['set-cookie'] ?? []].flat() : []
      return responseHeaders(exchange, given, cookiesAfter(exchange, session, fromService))
    }
    const call = {
      exchange,
      upstream: host.upstreams[row.service],
      path,
      headers,
      answerHeaders,
      sid: session.claims?.sid,
    }
    if (row.stream) host.stream.forward(call)
    else host.plain.forward(call)
  }

  /** An answer that changes who is signed in also brings the anti-forgery token that fits from then on. */
  function cookiesAfter(exchange: Exchange, session: Session, fromService: readonly string[]): readonly string[] {
    const binding = fromService.length > 0 ? sessions.bindingAfter(fromService) : undefined
    if (binding === undefined) return fromService.length > 0 ? [...fromService, ...exchange.cookies] : exchange.cookies
    // A refresh keeps the session: its token stays good, so that other tabs' calls under way are not turned away.
    const token = csrf.fits(session.xsrf, binding) ? session.xsrf! : csrf.issue(binding)
    return [...fromService, xsrfCookie(token)]
  }

  function csrfHolds({ req }: Exchange, { xsrf, binding }: Session): boolean {
    const header = req.headers['x-xsrf-token']
    return typeof header === 'string' && xsrf !== undefined && equal(header, xsrf) && csrf.fits(header, binding)
  }

  function xsrfCookie(token: string): string {
    return `${cookieNames.xsrf}=${token}; Path=/; SameSite=Lax${cookieNames.secure ? '; Secure' : ''}`
  }
}

function refuseMethod(exchange: Exchange, methods: readonly string[]) {
  const allow = [...methods, 'OPTIONS'].join(', ')
  if (exchange.req.method === 'OPTIONS') answer(exchange, 204, '', { allow })
  else refuse(exchange, 'method_not_allowed', { headers: { allow } })
}
