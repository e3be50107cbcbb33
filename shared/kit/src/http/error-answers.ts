import { randomUUID } from 'node:crypto'
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from 'express'
import { fail, ServiceError } from '../core/errors.ts'
import { isUnavailable } from '../mongo/errors.ts'
import type { Logger } from '../observability/log.ts'
import type { SecurityEventCode, SecurityLog } from '../observability/security-log.ts'
import type { Caller } from './caller.ts'
import { changeCookies, ErrorWithCookies } from './cookies.ts'
import { networkOf } from './network.ts'
import type { RequestState } from './request-trace.ts'

/** Refusals that may be an attack. Routes record others where they know more. */
const securityCodes: readonly string[] = [
  'forbidden',
  'outside_team',
  'too_many',
  'invalid',
] satisfies SecurityEventCode[]

/**
 * The last middlewares: unknown paths, and the conversion of errors to answers without internal
 * details.
 */
export function answerErrors(host: { log: Logger; security: SecurityLog }): [RequestHandler, ErrorRequestHandler] {
  return [
    () => fail('not_found'),
    (error: unknown, req: Request, res: Response, _next: NextFunction) => {
      const answer = asServiceError(error)
      const {
        requestId = randomUUID(),
        operation,
        caller,
      } = res.locals as Partial<RequestState> & { caller?: Partial<Caller> }
      if (answer.status >= 500) host.log.error({ err: answer.cause ?? error, code: answer.code }, 'request failed')
      if (securityCodes.includes(answer.code))
        host.security.record({
          code: answer.code as SecurityEventCode,
          operation,
          personId: caller?.person?.id ?? answer.personId,
          network: networkOf(req.ip ?? ''),
        })
      if (res.headersSent) {
        res.destroy()
        return
      }
      if (answer.retryAfterS !== undefined) res.set('retry-after', String(Math.max(1, Math.ceil(answer.retryAfterS))))
      if (answer instanceof ErrorWithCookies) changeCookies(res, answer.cookies)
      res.removeHeader('etag')
      res.set('cache-control', 'no-store')
      res.status(answer.status).json(answer.body(requestId))
    },
  ]
}

/**
 * The error for the caller: a ServiceError as it is, an outage as 503, anything unknown as 500
 * without details.
 */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const { type, status } = Object(error) as { type?: string; status?: number }
  if (type === 'entity.too.large') return new ServiceError('too_large')
  if (type === 'encoding.unsupported' || type === 'charset.unsupported') return new ServiceError('not_json')
  if (type === 'entity.parse.failed' || type === 'request.aborted' || type === 'request.size.invalid' || status === 400)
    return new ServiceError('malformed')
  if (isUnavailable(error)) return new ServiceError('unavailable', { retryAfterS: 2, cause: error })
  return new ServiceError('internal', { cause: error })
}
