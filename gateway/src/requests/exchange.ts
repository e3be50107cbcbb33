import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorCode } from '@watchline/contracts/errors'
import { idsForLog, type Logger } from '@watchline/kit/observability/log'
import type { Metrics } from '@watchline/kit/observability/metrics'
import type { SecurityLog } from '@watchline/kit/observability/security-log'
import { type Span, type Tracer, validTraceparent } from '@watchline/kit/observability/tracing'
import type { HeaderValues } from '../pages/security-headers.ts'

/** One request and its reply. */
export interface Exchange {
  req: IncomingMessage
  res: ServerResponse
  requestId: string
  /** From the gateway's own span if spans are exported, else from the client. */
  traceparent: string
  span: Span | undefined
  tracer: Tracer | undefined
  /** Counts a refusal by the gateway itself. */
  countRefusal(code: ErrorCode): void
  /** The client's own address. */
  address: string
  /** The person of the session, once it is read. */
  personId?: string | undefined
  /** The contract's operation, or another name for the request; for metrics and logs. */
  operation: string
  /** A stream counts in no duration: its length says nothing about speed. */
  isStream?: true
  /** Sent with every reply. */
  securityHeaders: HeaderValues
  /** The gateway's own cookies, as `set-cookie` values. */
  cookies: string[]
  log: Logger
  security: SecurityLog
}

export interface ExchangeHost {
  log: Logger
  security: SecurityLog
  metrics: Metrics
  tracer: Tracer | undefined
  countRefusal(code: ErrorCode): void
  /** The number of own proxies in front of the gateway. */
  trustedProxies: number
  securityHeaders: HeaderValues
}

const validRequestId = /^[\w-]{8,64}$/

/**
 * Opens an exchange: gives it its ids and measures it. A valid request id or trace of the client
 * continues, so that both sides can find the same call. The client never decides whether the trace
 * is recorded.
 */
export function openExchange(req: IncomingMessage, res: ServerResponse, host: ExchangeHost): Exchange {
  const clientId = singleValue(req.headers['x-request-id'])
  const requestId = clientId && validRequestId.test(clientId) ? clientId : randomUUID()
  const clientTrace = validTraceparent(req.headers.traceparent)
  // Spans of probes, scrapes and static files would outnumber those of API calls.
  const tracer = req.url?.startsWith('/api/') ? host.tracer : undefined
  const span = tracer?.start('request', {
    kind: 'server',
    parent: clientTrace,
    isExternal: true,
    attributes: { 'watchline.request_id': requestId },
  })
  const exchange: Exchange = {
    req,
    res,
    requestId,
    traceparent: span?.traceparent ?? clientTrace ?? newTraceparent(),
    span,
    tracer,
    countRefusal: host.countRefusal,
    address: addressOf(req, host.trustedProxies),
    operation: 'other',
    securityHeaders: host.securityHeaders,
    cookies: [],
    log: host.log,
    security: host.security,
  }
  const startedAt = performance.now()
  res.once('close', () => {
    if (exchange.isStream) return
    // 499: the client disconnected before the reply was complete.
    const status = res.writableFinished ? res.statusCode : 499
    const ms = performance.now() - startedAt
    endSpan(exchange, status)
    host.metrics.requests.observe({ operation: exchange.operation, status: String(status) }, ms / 1_000)
    if (host.log.isLevelEnabled('debug'))
      host.log.debug(
        { ...logIds(exchange), operation: exchange.operation, status, ms: Math.round(ms * 10) / 10 },
        'request answered',
      )
  })
  return exchange
}

/** Ends the exchange's span; for a stream as soon as it is open. */
export function endSpan({ span, operation, req }: Exchange, status: number): void {
  if (!span) return
  span.update(operation, { 'http.request.method': req.method ?? '', 'http.response.status_code': status })
  span.end(status >= 500 ? String(status) : undefined)
}

/** The request id and trace id, as log fields. */
export function logIds(exchange: Exchange): Record<string, string> {
  return idsForLog(exchange.requestId, exchange.traceparent)
}

function singleValue(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function newTraceparent(): string {
  const traceId = randomUUID().replaceAll('-', '')
  const uuid = randomUUID()
  return `00-${traceId}-${uuid.slice(0, 8)}${uuid.slice(24, 32)}-01`
}

/**
 * The socket's address. Behind n own proxies: the n-th entry of X-Forwarded-For from the right,
 * which they wrote.
 */
function addressOf(req: IncomingMessage, trustedProxies: number): string {
  const socketAddress = req.socket.remoteAddress ?? ''
  const forwarded = trustedProxies > 0 ? singleValue(req.headers['x-forwarded-for']) : undefined
  const entry = forwarded?.split(',').at(-trustedProxies)?.trim()
  const address = entry && /^[\w.:]{2,45}$/.test(entry) ? entry : socketAddress
  return address.startsWith('::ffff:') ? address.slice(7) : address
}
