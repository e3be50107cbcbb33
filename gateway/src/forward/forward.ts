import type { IncomingHttpHeaders } from 'node:http'
import type { Span } from '@watchline/kit/observability/tracing'
import type { Exchange } from '../exchange.ts'
import type { Upstream } from './upstream.ts'

/** A request on its way to a service, allowed and with its headers made. */
export interface Call {
  exchange: Exchange
  upstream: Upstream
  /** Path and query, unchanged. */
  path: string
  headers: Record<string, string>
  /** The head of the client's answer, from the service's. */
  answerHeaders(given: IncomingHttpHeaders): Record<string, string | string[]>
  /** Of whom; what stays open ends with the session. */
  sid: string | undefined
}

/** Forwards a call and answers it, whatever happens on the way. Two do: one for plain calls, one for streams. */
export interface Forwarder {
  forward(call: Call): void
  close(): Promise<void>
}

/** The span of a call to a service, which is the parent of the service's own. */
export function spanOfCall({ exchange, upstream, headers }: Call): Span | undefined {
  const span = exchange.tracer?.start(`call ${upstream.service}`, {
    kind: 'client',
    parent: exchange.traceparent,
    facts: { 'watchline.operation': exchange.operation, 'watchline.service': upstream.service },
  })
  if (span) headers.traceparent = span.traceparent
  return span
}
