import { timingSafeEqual } from 'node:crypto'
import type { AnyInternalOperation } from '@watchline/contracts/internal-operations'
import type { ParamsOf, QueryOf, ResponseOf } from '@watchline/contracts/operation'
import express, { type Router } from 'express'
import { fail } from '../core/errors.ts'
import { checkResponse, expressPath, parseInput } from './contract-parsing.ts'

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
  /** The value callers must send as `x-internal-secret`; without it every path answers 404. */
  secret: string
  /** Checks answers against the contract; off in production. */
  checkResponses: boolean
}

/** Serves internal routes, relative to `/internal`. Input and errors are as in public routes. */
export function createInternalRouter<Ctx>({ routes, ctx, secret, checkResponses }: InternalRouterOptions<Ctx>): Router {
  const router = express.Router()
  router.use(requireSecret(secret))
  for (const { operation, handle } of routes) {
    router.get(expressPath(operation.path), async (req, res) => {
      const params = parseInput(operation.params, req.params, 'params')
      const query = parseInput(operation.query, req.query, 'query')
      const answer = await handle({ params, query }, ctx)
      if (checkResponses) checkResponse(operation, answer)
      res.json(answer)
    })
  }
  return router
}

function requireSecret(secret: string): express.RequestHandler {
  const expected = Buffer.from(secret)
  return (req, _res, next) => {
    const received = Buffer.from(req.get('x-internal-secret') ?? '')
    if (received.length !== expected.length || !timingSafeEqual(received, expected)) fail('not_found')
    next()
  }
}
