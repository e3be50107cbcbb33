import type { IncomingHttpHeaders } from 'node:http'
import type { Readiness } from '@watchline/kit/http/status-server'
import type { Metrics } from '@watchline/kit/observability/metrics'
import type { Express, Request, Response } from 'express'
import type { Exchange } from '../requests/exchange.ts'
import { reply } from '../requests/replies.ts'
import { hasAddressAsHost, isForwarded } from '../requests/request-origin.ts'

export interface HealthHost {
  metrics: Metrics
  readiness(): Promise<Readiness>
  /** Metrics and details are on the status port. */
  hasStatusPort: boolean
  isOwnHost(headers: IncomingHttpHeaders): boolean
}

/** `/healthz`, `/readyz` and, for operators only, its details and `/metrics`. */
export function mountHealth(app: Express, { metrics, readiness, hasStatusPort, isOwnHost }: HealthHost): void {
  const isOperator = (req: Request) =>
    !hasStatusPort && isFromThisMachine(req) && (isOwnHost(req.headers) || hasAddressAsHost(req.headers))
  app.get('/healthz', (_req, res) => replyJson(res, 200, { status: 'ok' }))
  app.get('/readyz', async (req, res) => {
    const state = await readiness()
    replyJson(res, state.ready ? 200 : 503, isOperator(req) ? state : { ready: state.ready })
  })
  app.get('/metrics', async (req, res, next) => {
    if (!isOperator(req)) return next()
    const text = await metrics.registry.metrics()
    reply(res.locals.exchange as Exchange, 200, text, { 'content-type': metrics.registry.contentType })
  })
}

function replyJson(res: Response, status: number, body: unknown) {
  const exchange = res.locals.exchange as Exchange
  exchange.operation = 'health'
  reply(exchange, status, JSON.stringify(body), {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  })
}

/**
 * A request through a proxy on this machine comes from elsewhere, although its socket has a
 * loopback address.
 */
function isFromThisMachine(req: Request): boolean {
  if (isForwarded(req)) return false
  return /^(::1|(::ffff:)?127(\.\d+){3})$/.test(req.socket.remoteAddress ?? '')
}
