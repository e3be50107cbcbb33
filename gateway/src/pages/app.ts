import type { Clock } from '@watchline/kit/core/clock'
import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Response } from 'express'
import type { GatewayConfig } from '../config.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import { servePosters } from '../media/posters.ts'
import { listMediaTracks } from '../media/tracks.ts'
import type { EnterRequest } from '../requests/enter-request.ts'
import { type Exchange, logIds } from '../requests/exchange.ts'
import { refuse, reply } from '../requests/replies.ts'
import type { KnownBrowsers } from '../session/known-browsers.ts'
import { rateLimitedCaller, type Sessions } from '../session/sessions.ts'
import { type HealthHost, mountHealth } from './health.ts'
import { receivePolicyReports } from './policy-reports.ts'
import { type HeaderValues, policyReportPath } from './security-headers.ts'
import { serveMedia, serveWeb } from './static-files.ts'

export interface AppHost {
  config: Pick<GatewayConfig, 'webRoot' | 'mediaRoot' | 'offlinePage'>
  pageHeaders: HeaderValues
  enterRequest: EnterRequest
  /** Decides who may load a file of the organisation. */
  mediaAccess: RequestHandler
  rateLimits: RateLimits
  sessions: Sessions
  knownBrowsers: KnownBrowsers
  clock: Clock
  health: HealthHost
}

/** Everything besides API calls: health, metrics, media and the web build. */
export function createApp({
  config,
  pageHeaders,
  enterRequest,
  mediaAccess,
  rateLimits,
  sessions,
  knownBrowsers,
  clock,
  health,
}: AppHost): Express {
  const app = express()
  app.disable('x-powered-by')
  app.set('etag', false)
  app.use((req, res, next) => {
    const exchange = enterRequest(req, res)
    if (!exchange) return
    res.locals.exchange = exchange
    next()
  })
  const limitPageRate: RequestHandler = (req, res, next) => {
    const exchange = exchangeOf(res)
    const now = clock.now()
    const session = sessions.read(req.headers.cookie, now)
    const waitS = rateLimits.consumePage(rateLimitedCaller(session, exchange.address, knownBrowsers), now)
    if (waitS === undefined) next()
    else refuse(exchange, 'too_many', { retryAfterS: waitS })
  }
  mountHealth(app, health)
  app.post(policyReportPath, limitPageRate, ...receivePolicyReports(clock))
  app.use(requireReadMethod)
  app.use((_req, res, next) => {
    const exchange = exchangeOf(res)
    exchange.operation = 'web'
    exchange.securityHeaders = pageHeaders
    for (const name in pageHeaders) res.setHeader(name, pageHeaders[name]!)
    res.setHeader('x-request-id', exchange.requestId)
    next()
  })
  if (config.mediaRoot) {
    const media = serveMedia(config.mediaRoot)
    const tracks = listMediaTracks(config.mediaRoot)
    app.use('/media', mediaAccess, servePosters(media), tracks, media)
  }
  app.use(['/media', '/internal', '/oidc', '/metrics'], notFound)
  app.use(limitPageRate)
  app.use(serveWeb(config.webRoot, config))
  app.use(notFound)
  app.use(replyToError)
  return app
}

const requireReadMethod: RequestHandler = (req, res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD') next()
  else refuse(exchangeOf(res), 'method_not_allowed', { headers: { allow: 'GET, HEAD' } })
}

const notFound: RequestHandler = (_req, res) => {
  removeHeaders(res)
  refuse(exchangeOf(res), 'not_found')
}

/**
 * Maps the errors of the file servers (an impossible range, a forbidden path) and unexpected ones.
 */
const replyToError: ErrorRequestHandler = (error, _req, res, _next) => {
  const exchange = exchangeOf(res)
  if (!exchange || res.headersSent) {
    res.destroy()
    return
  }
  const { status, headers } = Object(error) as { status?: number; headers?: Record<string, string> }
  removeHeaders(res)
  if (status === 416) reply(exchange, 416, '', { ...headers })
  else if (status === 413) refuse(exchange, 'too_large')
  else if (status === 400 || status === 403 || status === 412) refuse(exchange, 'malformed')
  else if (status === 404) refuse(exchange, 'not_found')
  else {
    exchange.log.error({ ...logIds(exchange), err: error }, 'request failed')
    refuse(exchange, 'internal')
  }
}

/** A file server has already set headers for the reply that an error replaces. */
function removeHeaders(res: Response) {
  for (const name of res.getHeaderNames()) res.removeHeader(name)
}

function exchangeOf(res: Response): Exchange {
  return res.locals.exchange as Exchange
}
