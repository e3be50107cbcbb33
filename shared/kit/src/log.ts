import { AsyncLocalStorage } from 'node:async_hooks'
import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger }

/** What is going on while a request or an event is served; every log line and event made meanwhile carries it. */
export interface Trace {
  requestId: string
  traceparent: string | undefined
}

export const trace = new AsyncLocalStorage<Trace>()

/** JSON logs. Ids only: never names, e-mail addresses, tokens, cookies or bodies. */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    mixin: () => {
      const current = trace.getStore()
      return current ? { request_id: current.requestId, traceparent: current.traceparent } : {}
    },
  }
  return destination ? pino(options, destination) : pino(options)
}
