import { type ErrorCode, errorCodes } from '@watchline/contracts/errors'
import { networkOf } from '@watchline/kit/http/network'
import type { SecurityEventCode } from '@watchline/kit/observability/security-log'
import type { HeaderValues } from '../pages/security-headers.ts'
import { type Exchange, logIds } from './exchange.ts'

export interface Refusal {
  retryAfterS?: number
  headers?: HeaderValues
  /** The error behind the refusal, for the log. */
  cause?: unknown
  service?: string
}

/** Refusals that may be an attack. */
const securityCodes: ReadonlySet<string> = new Set<SecurityEventCode>([
  'csrf',
  'cross_site',
  'too_many',
  'wrong_host',
  'malformed',
])

/**
 * Replies with an error of the contracts. If another reply has begun, it closes the connection
 * instead.
 */
export function refuse(
  exchange: Exchange,
  code: ErrorCode,
  { retryAfterS, headers, cause, service }: Refusal = {},
): void {
  exchange.countRefusal(code)
  if (securityCodes.has(code))
    exchange.security.record(
      {
        code: code as SecurityEventCode,
        operation: exchange.operation,
        personId: exchange.personId,
        network: networkOf(exchange.address),
      },
      logIds(exchange),
    )
  // Overload shows in the metrics. A log line for each refusal would add to it.
  if (cause !== undefined || code === 'too_slow')
    exchange.log.warn({ ...logIds(exchange), err: cause, code, service }, 'request refused')
  reply(exchange, errorCodes[code].status, errorText(exchange, code), {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...(retryAfterS !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(retryAfterS))) }),
    ...headers,
  })
}

/** Replies with one whole body. */
export function reply(exchange: Exchange, status: number, body: string, headers: HeaderValues): void {
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

const maxDiscardedBytes = 16 * 1_048_576

/**
 * Refuses a body that is too large. The reply goes out at once; the connection closes only after a
 * bounded part of the body was discarded. An earlier close would destroy the reply of a client that
 * is still sending.
 */
export function refuseLargeBody(exchange: Exchange): void {
  const { req, res } = exchange
  if (res.headersSent || res.destroyed) {
    res.destroy()
    return
  }
  exchange.countRefusal('too_large')
  const body = errorText(exchange, 'too_large')
  res.writeHead(errorCodes.too_large.status, {
    ...exchange.securityHeaders,
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': exchange.requestId,
    connection: 'close',
  })
  res.write(body)
  let remaining = maxDiscardedBytes
  const finish = () => res.end()
  req.on('data', (chunk: Buffer) => {
    remaining -= chunk.length
    if (remaining < 0) req.destroy()
  })
  req.once('end', finish)
  req.once('error', finish)
  req.once('close', finish)
  req.resume()
  if (req.readableEnded || req.destroyed) finish()
}

function errorText({ requestId }: Exchange, code: ErrorCode): string {
  return JSON.stringify({ detail: errorCodes[code].detail, code, request_id: requestId })
}
