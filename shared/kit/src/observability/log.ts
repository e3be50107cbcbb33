import { AsyncLocalStorage } from 'node:async_hooks'
import { type DestinationStream, type Logger, pino } from 'pino'
import { redact, serializeError } from './redact.ts'

export type { Logger }

/** The request or event being served; every log line and event made meanwhile carries its ids. */
export interface RequestTrace {
  requestId: string
  /** W3C trace context: the trace, and the span that whatever is begun now belongs to. */
  traceparent: string | undefined
}

export const currentTrace = new AsyncLocalStorage<RequestTrace>()

/** Logs of our own never hold these; should one slip in with an object, its value stays out all the same. */
const neverTold = ['email', 'name', 'password', 'token', 'cookie', 'authorization', 'secret', 'body', 'headers', 'url']

/**
 * JSON lines on stdout. Ids only: never names, e-mail addresses, texts, tokens, cookies or bodies. Errors and reasons are told by
 * redact.ts, because the words of drivers quote data.
 */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: {
      err: (error: unknown) => (error === undefined ? undefined : serializeError(error)),
      reason: tellReason,
    },
    redact: { paths: neverTold, censor: '(hidden)' },
    mixin: () => {
      const current = currentTrace.getStore()
      return current ? idsForLog(current.requestId, current.traceparent) : {}
    },
  }
  return destination ? pino(options, destination) : pino(options)
}

function tellReason(reason: unknown): unknown {
  return typeof reason === 'string' ? redact(reason) : reason
}

/** The ids that connect a line to its request and to the span in a trace viewer. */
export function idsForLog(requestId: string, traceparent: string | undefined): Record<string, string> {
  return traceparent
    ? { request_id: requestId, trace_id: traceparent.slice(3, 35), span_id: traceparent.slice(36, 52) }
    : { request_id: requestId }
}
