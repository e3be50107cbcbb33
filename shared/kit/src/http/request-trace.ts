import { randomUUID } from 'node:crypto'
import type { NextFunction, Request, Response } from 'express'
import { currentTrace, idsForLog, type Logger } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import { type Span, type Tracer, validTraceparent } from '../observability/tracing.ts'

/** State of one request that its middlewares share, in `res.locals`. */
export interface RequestState {
  requestId: string
  operation?: string
  span?: Span | undefined
  /** Its duration is not a response time, so it is not measured. */
  isEventStream?: true
}

/**
 * The first middleware: sets the request id and the trace of the logs, starts the span, and
 * measures every answer.
 */
export function requestTrace(host: { log: Logger; metrics: Metrics; tracer?: Tracer | undefined }) {
  return (req: Request, res: Response, next: NextFunction) => {
    const received = req.get('x-request-id')
    const requestId = received && /^[\w-]{8,64}$/.test(received) ? received : randomUUID()
    const state = res.locals as RequestState
    state.requestId = requestId
    res.set('x-request-id', requestId)
    const parent = validTraceparent(req.get('traceparent'))
    const span = host.tracer?.start('request', {
      kind: 'server',
      parent,
      attributes: { 'watchline.request_id': requestId },
    })
    state.span = span
    const traceparent = span?.traceparent ?? parent
    const started = process.hrtime.bigint()
    res.on('finish', () => {
      const seconds = Number(process.hrtime.bigint() - started) / 1e9
      const operation = operationName(state, req)
      if (state.isEventStream) return
      const status = res.statusCode
      host.metrics.requests.observe({ operation, status: String(status) }, seconds)
      if (host.log.isLevelEnabled('debug'))
        host.log.debug(
          { operation, status, ms: Math.round(seconds * 1e4) / 10, ...idsForLog(requestId, traceparent) },
          'request answered',
        )
    })
    if (span)
      res.on('close', () => {
        span.update(operationName(state, req), {
          'http.request.method': req.method,
          'http.response.status_code': res.statusCode,
        })
        span.end(!res.writableFinished ? 'aborted' : res.statusCode >= 500 ? String(res.statusCode) : undefined)
      })
    currentTrace.run({ requestId, traceparent, address: req.ip }, next)
  }
}

/** The name of the operation; for internal routes the template of their path. */
function operationName({ operation }: RequestState, req: Request): string {
  if (operation) return operation
  return req.route && req.baseUrl === '/internal' ? `internal${req.route.path}` : 'other'
}
