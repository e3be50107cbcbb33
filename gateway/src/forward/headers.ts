import type { IncomingHttpHeaders } from 'node:http'
import type { Exchange } from '../requests/exchange.ts'
import { isForwarded } from '../requests/request-origin.ts'

/**
 * The client's headers that services receive. All others are dropped, above all those about
 * identity.
 */
const allowedHeaders = [
  'accept',
  'accept-language',
  'content-type',
  'if-none-match',
  'if-match',
  'priority',
  'range',
  'user-agent',
  'x-setup-token',
  'last-event-id',
] as const

export interface ForwardingOptions {
  /** `x-forwarded-proto` and `x-forwarded-host` of the origin that browsers use. */
  forwardedOrigin: Readonly<Record<string, string>>
  /** Sent as the bearer token. */
  token: string | undefined
  /**
   * Sends the cookies, and whether a proxy passed the call on; only to auth, which needs the
   * refresh token, its sign-in state, and the origin of a setup.
   */
  isAuth: boolean
  /**
   * Sends the client's own `authorization`; only to the development provider, which authenticates
   * clients by it.
   */
  authorization: boolean
}

/**
 * The headers for a service: an allow-list of the client's headers, and those about identity and
 * origin. The gateway always sets the latter itself.
 */
export function requestHeaders(exchange: Exchange, options: ForwardingOptions): Record<string, string> {
  const received = exchange.req.headers
  const headers: Record<string, string> = {}
  for (const name of allowedHeaders) {
    const value = received[name]
    if (typeof value === 'string') headers[name] = value
  }
  if (options.isAuth && received.cookie) headers.cookie = received.cookie
  if (options.token) headers.authorization = `Bearer ${options.token}`
  else if (options.authorization && received.authorization) headers.authorization = received.authorization
  // auth asks for the setup token then, also on a developer's machine.
  if (options.isAuth && isForwarded(exchange.req)) headers.via = '1.1 proxy'
  headers['x-request-id'] = exchange.requestId
  headers.traceparent = exchange.traceparent
  headers['x-forwarded-for'] = exchange.address
  return Object.assign(headers, options.forwardedOrigin)
}

/** The headers that name the origin. The getters of a URL are slow, so they are read once. */
export function forwardedOrigin({ protocol, host }: URL): Readonly<Record<string, string>> {
  return { 'x-forwarded-proto': protocol.slice(0, -1), 'x-forwarded-host': host }
}

const removedHeaders = new Set([
  // hop by hop (RFC 9110, 7.6.1)
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // set by the gateway alone
  'server',
  'x-powered-by',
  'x-request-id',
  'set-cookie',
  'strict-transport-security',
])

/** The headers of a reply: the gateway's, then the service's, then the allowed cookies. */
export function responseHeaders(
  exchange: Exchange,
  received: IncomingHttpHeaders,
  cookies: readonly string[],
): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { ...exchange.securityHeaders }
  const hopByHop =
    typeof received.connection === 'string' ? received.connection.toLowerCase().split(/\s*,\s*/) : undefined
  for (const name in received) {
    const value = received[name]
    if (value !== undefined && !removedHeaders.has(name) && !hopByHop?.includes(name)) headers[name] = value
  }
  headers['x-request-id'] = exchange.requestId
  if (cookies.length > 0) headers['set-cookie'] = [...cookies]
  return headers
}
