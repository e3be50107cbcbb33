import type { IncomingHttpHeaders } from 'node:http'
import type { Exchange } from './exchange.ts'

/** What passes from the client to a service; everything else is dropped, identity above all. */
const passed = [
  'accept',
  'accept-language',
  'content-type',
  'if-none-match',
  'if-match',
  'range',
  'user-agent',
  'x-setup-token',
  'last-event-id',
] as const

export interface Forwarded {
  /** Where browsers reach us. */
  publicUrl: URL
  /** Becomes the bearer token. */
  token: string | undefined
  /** The service may see cookies (auth alone: the refresh token and its own sign-in state). */
  cookies: boolean
  /** The provider's own endpoints authenticate clients by this header. */
  authorization: boolean
}

/**
 * The headers a service gets: an allow-list of the client's, and those that say who and where from, which are always made
 * here and never passed on.
 */
export function requestHeaders(exchange: Exchange, forwarded: Forwarded): Record<string, string> {
  const given = exchange.req.headers
  const headers: Record<string, string> = {}
  for (const name of passed) {
    const value = given[name]
    if (typeof value === 'string') headers[name] = value
  }
  if (forwarded.cookies && given.cookie) headers.cookie = given.cookie
  if (forwarded.token) headers.authorization = `Bearer ${forwarded.token}`
  else if (forwarded.authorization && given.authorization) headers.authorization = given.authorization
  headers['x-request-id'] = exchange.requestId
  headers.traceparent = exchange.traceparent
  headers['x-forwarded-for'] = exchange.address
  headers['x-forwarded-proto'] = forwarded.publicUrl.protocol.slice(0, -1)
  headers['x-forwarded-host'] = forwarded.publicUrl.host
  return headers
}

const ours = new Set([
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
  // said by the gateway alone
  'server',
  'x-powered-by',
  'x-request-id',
  'set-cookie',
  'strict-transport-security',
])

/** The head of an answer: ours first, then what the service says besides, then the cookies that are allowed. */
export function responseHeaders(
  exchange: Exchange,
  given: IncomingHttpHeaders,
  cookies: readonly string[],
): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { ...exchange.securityHeaders }
  const named = typeof given.connection === 'string' ? given.connection.toLowerCase().split(/\s*,\s*/) : undefined
  for (const name in given) {
    const value = given[name]
    if (value !== undefined && !ours.has(name) && !named?.includes(name)) headers[name] = value
  }
  headers['x-request-id'] = exchange.requestId
  if (cookies.length > 0) headers['set-cookie'] = [...cookies]
  return headers
}
