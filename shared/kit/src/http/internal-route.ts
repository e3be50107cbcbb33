import type { AnyInternalOperation } from '@watchline/contracts/internal-operations'
import type { ParamsOf, QueryOf, ResponseOf } from '@watchline/contracts/operation'
import express, { type Router } from 'express'
import { fail } from '../core/errors.ts'
import type { Logger } from '../observability/log.ts'
import { checkResponse, expressPath, parseInput } from './contract-parsing.ts'
import type { InternalCredentials } from './internal-credentials.ts'

export interface InternalRouteInput<O extends AnyInternalOperation> {
  params: ParamsOf<O>
  query: QueryOf<O>
}

export interface InternalRoute<Ctx> {
  operation: AnyInternalOperation
  handle(input: InternalRouteInput<AnyInternalOperation>, ctx: Ctx): Promise<unknown>
}

/** Declares the route of an internal operation. */
export function defineInternalRoute<O extends AnyInternalOperation, Ctx>(
  operation: O,
  handle: (input: InternalRouteInput<O>, ctx: Ctx) => Promise<ResponseOf<O>>,
): InternalRoute<Ctx> {
  return { operation, handle: handle as InternalRoute<Ctx>['handle'] }
}

export interface InternalRouterOptions<Ctx> {
  routes: readonly InternalRoute<Ctx>[]
  ctx: Ctx
  credentials: InternalCredentials
  log: Logger
  /** Checks answers against the contract; off in production. */
  checkResponses: boolean
}

/**
 * Serves internal routes, relative to `/internal`. Input and errors are as in public routes. A call
 * without a credential gets 404, as if there were no routes. A call whose credential is not valid,
 * or whose service may not call the operation, gets 403. A 404 would tell the caller that the
 * object does not exist.
 */
export function createInternalRouter<Ctx>(options: InternalRouterOptions<Ctx>): Router {
  const { routes, ctx, checkResponses } = options
  const router = express.Router()
  for (const { operation, handle } of routes) {
    router.get(expressPath(operation.path), async (req, res) => {
      authorize(operation, req, options)
      const params = parseInput(operation.params, req.params, 'params')
      const query = parseInput(operation.query, req.query, 'query')
      const answer = await handle({ params, query }, ctx)
      if (checkResponses) checkResponse(operation, answer)
      res.json(answer)
    })
  }
  return router
}

function authorize(
  { name, callers }: AnyInternalOperation,
  req: express.Request,
  { credentials, log }: Pick<InternalRouterOptions<unknown>, 'credentials' | 'log'>,
) {
  const caller = credentials.identify(header => req.get(header))
  if (caller === 'any' || (callers as readonly string[]).includes(caller)) return
  if (caller === 'unidentified') fail('not_found')
  log.warn({ operation: name, caller }, 'internal call refused')
  fail('forbidden')
}
