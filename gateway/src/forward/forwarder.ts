import type { IncomingHttpHeaders } from 'node:http'
import type { LowPriority } from '@watchline/contracts/priority'
import type { Span } from '@watchline/kit/observability/tracing'
import type { Exchange } from '../requests/exchange.ts'
import type { Upstream } from './upstream.ts'

/** A request that passed all checks, with its headers for the service. */
export interface ForwardedCall {
  exchange: Exchange
  upstream: Upstream
  /** Path and query, unchanged. */
  path: string
  headers: Record<string, string>
  /** The headers of the reply, made from those of the service. */
  makeResponseHeaders(received: IncomingHttpHeaders): Record<string, string | string[]>
  priority: LowPriority | undefined
  /** The call needs no session, as those of a sign-in. */
  needsNoSession: boolean
  /** The login session; its end also ends the stream. */
  sid: string | undefined
}

/** Forwards a call and always replies. There are two: one for plain calls, one for streams. */
export interface Forwarder {
  forward(call: ForwardedCall): void
  close(): Promise<void>
}

/** Starts the span of a call to a service; the parent of the service's own span. */
export function startCallSpan({ exchange, upstream, headers }: ForwardedCall): Span | undefined {
  const span = exchange.tracer?.start(`call ${upstream.service}`, {
    kind: 'client',
    parent: exchange.traceparent,
    attributes: { 'watchline.operation': exchange.operation, 'watchline.service': upstream.service },
  })
  if (span) headers.traceparent = span.traceparent
  return span
}
