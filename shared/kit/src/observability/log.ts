import { AsyncLocalStorage } from 'node:async_hooks'
import { type DestinationStream, type Logger, pino } from 'pino'
import { redact, serializeError } from './redact.ts'

export type { Logger }

/** The request or event in progress; its log lines and events carry these ids. */
export interface RequestTrace {
  requestId: string
  /** W3C trace context: the trace, and the parent of new spans. */
  traceparent: string | undefined
  /** The client's network address; absent for events. */
  address?: string | undefined
}

export const currentTrace = new AsyncLocalStorage<RequestTrace>()

/** The code does not log these fields; if one is part of a logged object, its value is hidden. */
const hiddenFields = [
  'email',
  'name',
  'password',
  'token',
  'cookie',
  'authorization',
  'secret',
  'body',
  'headers',
  'url',
]

/**
 * JSON lines on stdout. They contain ids, but never names, email addresses, texts, tokens, cookies
 * or bodies. Errors and reasons go through redact.ts, because messages of drivers quote data.
 */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: {
      err: (error: unknown) => (error === undefined ? undefined : serializeError(error)),
      reason: redactReason,
    },
    redact: { paths: hiddenFields, censor: '(hidden)' },
    mixin: () => {
      const current = currentTrace.getStore()
      return current ? idsForLog(current.requestId, current.traceparent) : {}
    },
  }
  return destination ? pino(options, destination) : pino(options)
}

function redactReason(reason: unknown): unknown {
  return typeof reason === 'string' ? redact(reason) : reason
}

/** The ids that connect a log line to its request and its span. */
export function idsForLog(requestId: string, traceparent: string | undefined): Record<string, string> {
  return traceparent
    ? { request_id: requestId, trace_id: traceparent.slice(3, 35), span_id: traceparent.slice(36, 52) }
    : { request_id: requestId }
}
