import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ErrorCode, errorCodes } from '@watchline/contracts/errors'
import { idsForLog, type Logger } from '@watchline/kit/observability/log'
import type { Metrics } from '@watchline/kit/observability/metrics'
import { type Span, type Tracer, validTraceparent } from '@watchline/kit/observability/tracing'
import type { HeaderValues } from './security-headers.ts'

/** One request and its answer on their way through the gateway. */
export interface Exchange {
  req: IncomingMessage
  res: ServerResponse
  requestId: string
  /** The trace and, where spans are exported, our span in it. */
  traceparent: string
  span: Span | undefined
  tracer: Tracer | undefined
  /** Counts what the gateway refuses itself. */
  refused(code: ErrorCode): void
  /** The client's own address. */
  address: string
  /** The operation of the contract, or what else was asked for; for metrics and logs. */
  operation: string
  /** It is a stream: how long it stays is no measure of how fast it was answered. */
  keptOpen?: true
  /** What every answer carries. */
  securityHeaders: HeaderValues
  /** Cookies of the gateway's own. */
  cookies: string[]
  log: Logger
}

const saneRequestId = /^[\w-]{8,64}$/

/**
 * Begins an exchange: its ids (kept when they are sane, as a client or a proxy before us may have made them), its measuring. A trace
 * from outside is continued, so that both sides can find the same call; whether it is recorded is never theirs to say.
 */
export function openExchange(
  req: IncomingMessage,
  res: ServerResponse,
  host: {
    log: Logger
    metrics: Metrics
    tracer: Tracer | undefined
    refused(code: ErrorCode): void
    trustedProxies: number
    securityHeaders: HeaderValues
  },
): Exchange {
  const givenId = single(req.headers['x-request-id'])
  const requestId = givenId && saneRequestId.test(givenId) ? givenId : randomUUID()
  const givenTrace = validTraceparent(req.headers.traceparent)
  // Probes, scrapes and the files of the web build would bury the calls.
  const tracer = req.url?.startsWith('/api/') ? host.tracer : undefined
  const span = tracer?.start('request', {
    kind: 'server',
    parent: givenTrace,
    fromOutside: true,
    facts: { 'watchline.request_id': requestId },
  })
  const exchange: Exchange = {
    req,
    res,
    requestId,
    traceparent: span?.traceparent ?? givenTrace ?? newTraceparent(),
    span,
    tracer,
    refused: host.refused,
    address: addressOf(req, host.trustedProxies),
    operation: 'other',
    securityHeaders: host.securityHeaders,
    cookies: [],
    log: host.log,
  }
  const started = performance.now()
  res.once('close', () => {
    if (exchange.keptOpen) return
    // 499: the client went away before its answer was complete.
    const status = res.writableFinished ? res.statusCode : 499
    const ms = performance.now() - started
    endSpan(exchange, status)
    host.metrics.requests.observe({ operation: exchange.operation, status: String(status) }, ms / 1_000)
    if (host.log.isLevelEnabled('debug'))
      host.log.debug(
        { ...idsOf(exchange), operation: exchange.operation, status, ms: Math.round(ms * 10) / 10 },
        'answered',
      )
  })
  return exchange
}

/** Ends the exchange's span; a stream's already when it is open. */
export function endSpan({ span, operation, req }: Exchange, status: number): void {
  if (!span) return
  span.note(operation, { 'http.request.method': req.method ?? '', 'http.response.status_code': status })
  span.end(status >= 500 ? String(status) : undefined)
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function newTraceparent(): string {
  const one = randomUUID()
  const two = randomUUID()
  const trace = one.slice(0, 8) + one.slice(9, 13) + one.slice(14, 18) + one.slice(19, 23) + one.slice(24)
  return `00-${trace}-${two.slice(0, 8)}${two.slice(24, 32)}-01`
}

/** The socket's address; behind n proxies of our own, the n-th entry of X-Forwarded-For from the right, which they wrote. */
function addressOf(req: IncomingMessage, trustedProxies: number): string {
  const direct = req.socket.remoteAddress ?? ''
  const forwarded = trustedProxies > 0 ? single(req.headers['x-forwarded-for']) : undefined
  const claimed = forwarded?.split(',').at(-trustedProxies)?.trim()
  const address = claimed && /^[\w.:]{2,45}$/.test(claimed) ? claimed : direct
  return address.startsWith('::ffff:') ? address.slice(7) : address
}

export function idsOf(exchange: Exchange): Record<string, string> {
  return idsForLog(exchange.requestId, exchange.traceparent)
}

export interface Refusal {
  retryAfterS?: number
  headers?: HeaderValues
  /** What went wrong, for the log. */
  cause?: unknown
  service?: string
}

/** Answers with an error of the contract. After the head of another answer has gone, all that is left is to break off. */
export function refuse(
  exchange: Exchange,
  code: ErrorCode,
  { retryAfterS, headers, cause, service }: Refusal = {},
): void {
  const { status, detail } = errorCodes[code]
  exchange.refused(code)
  // Overload is seen in the metrics; a line for each refusal would only add to it.
  if (cause !== undefined || code === 'too_slow')
    exchange.log.warn({ ...idsOf(exchange), err: cause, code, service }, 'request refused')
  answer(exchange, status, JSON.stringify({ detail, code, request_id: exchange.requestId }), {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...(retryAfterS !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(retryAfterS))) }),
    ...headers,
  })
}

/** Answers in one piece. */
export function answer(exchange: Exchange, status: number, body: string, headers: HeaderValues): void {
  const { req, res } = exchange
  if (res.headersSent || res.destroyed) {
    res.destroy()
    return
  }
  res.writeHead(status, {
    ...exchange.securityHeaders,
    ...headers,
    ...(status !== 204 && { 'content-length': String(Buffer.byteLength(body)) }),
    'x-request-id': exchange.requestId,
    ...(exchange.cookies.length > 0 && { 'set-cookie': exchange.cookies }),
  })
  res.end(req.method === 'HEAD' ? undefined : body)
}

const drainBytes = 16 * 1_048_576

/**
 * Refuses a body that is too large. The answer goes out at once, but the connection is closed only after a bounded rest of the
 * body was thrown away: closing under a client that still sends would destroy the answer on its way.
 */
export function refuseBody(exchange: Exchange): void {
  const { req, res } = exchange
  if (res.headersSent || res.destroyed) {
    res.destroy()
    return
  }
  const { detail } = errorCodes.too_large
  exchange.refused('too_large')
  const body = JSON.stringify({ detail, code: 'too_large', request_id: exchange.requestId })
  res.writeHead(413, {
    ...exchange.securityHeaders,
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': exchange.requestId,
    connection: 'close',
  })
  res.write(body)
  let left = drainBytes
  const finish = () => res.end()
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) req.destroy()
  })
  req.once('end', finish)
  req.once('error', finish)
  req.once('close', finish)
  req.resume()
  if (req.readableEnded || req.destroyed) finish()
}
