import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { BlockList } from 'node:net'
import type { Duplex } from 'node:stream'
import { limits } from '@watchline/contracts/limits'
import { openApi } from '@watchline/contracts/openapi'
import type { ServiceName } from '@watchline/contracts/operation'
import { operations } from '@watchline/contracts/operations'
import { cookieNames } from '@watchline/identity/cookies'
import { createTokenVerifier } from '@watchline/identity/tokens'
import { systemClock } from '@watchline/kit/core/clock'
import { createHttpServer, type HttpServer } from '@watchline/kit/http/http-server'
import { createPresenceRecorder } from '@watchline/kit/live/presence-recorder'
import { createLogger } from '@watchline/kit/observability/log'
import { createMetrics } from '@watchline/kit/observability/metrics'
import { measureDependencies } from '@watchline/kit/process/dependency-metrics'
import type { Ports, Service } from '@watchline/kit/process/service-host'
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express'
import { createApi } from './api.ts'
import { createCatalogue } from './catalogue.ts'
import type { GatewayConfig } from './config.ts'
import { createCsrf } from './csrf.ts'
import { referencePage } from './docs-page.ts'
import { answer, type Exchange, idsOf, openExchange, refuse } from './exchange.ts'
import { createPlainForwarder } from './forward/plain.ts'
import { createStreamForwarder } from './forward/stream.ts'
import { createUpstream, type Upstream, upstreamMeasures } from './forward/upstream.ts'
import { serveMedia, serveWeb } from './pages.ts'
import { createRateLimits } from './rate-limits.ts'
import { createRevocations } from './revocations.ts'
import { isUnder, providerRow, rowFor } from './routing.ts'
import { apiHeaders, pageHeaders } from './security-headers.ts'
import { createSessions } from './sessions.ts'
import { readTarget } from './target.ts'

/** A client has this long to send a whole request; the services' own limit is the same. */
const requestTimeoutMs = 30_000
/** Longer than browsers and load balancers keep idle connections, so that it is they who close. */
const keepAliveTimeoutMs = 75_000
/** A connection on which nothing moves in either direction. Live streams say something far more often. */
const idleMs = 120_000
const maxStreams = 20_000

/** The only door: the API's calls to the services, the web build and the media to the browser. Wired here and nowhere else. */
export function createGateway(config: GatewayConfig, ports: Ports): Service {
  const { bus, live, clock = systemClock } = ports
  const log = ports.log ?? createLogger('gateway', config.logLevel)
  const metrics = createMetrics('gateway')
  const refusals = metrics.counter('watchline_refusals_total', 'Calls the gateway refused itself, by code', ['code'])
  const measures = upstreamMeasures(metrics)
  const tracer = ports.tracing?.tracer('gateway')
  const names = cookieNames(config.publicUrl)
  const tokens = createTokenVerifier(config.tokenPublicKey)
  const presence = createPresenceRecorder({ live, clock, log })
  const plain = createPlainForwarder({
    clock,
    bodyMaxBytes: limits.bodyMaxBytes,
    answerTimeoutMs: config.answerTimeoutMs,
  })
  const stream = createStreamForwarder({ clock, answerTimeoutMs: config.answerTimeoutMs, maxStreams })
  const ended = (sid: string, personId?: string) => {
    stream.endSession(sid)
    if (personId) presence.forget(personId, sid)
  }
  const revocations = createRevocations({ bus, live, clock, log, ended })
  const upstreams = Object.fromEntries(
    Object.keys(config.upstreams).map(service => [
      service,
      createUpstream(service as ServiceName, config, measures(service)),
    ]),
  ) as Record<ServiceName, Upstream>
  const headersOfPages = pageHeaders(config.publicUrl)
  const headersOfApi = apiHeaders(config.publicUrl)
  const isProvider = (path: string) => config.devProvider && isUnder(path, providerRow.prefix)
  const sessions = createSessions({ names, tokens, isRevoked: revocations.has })
  const api = createApi({
    config,
    clock,
    cookieNames: names,
    sessions,
    csrf: createCsrf(config.csrfSecret),
    rateLimits: createRateLimits(config.rateLimits),
    presence,
    rowFor: path => (isProvider(path) ? providerRow : rowFor(path)),
    operationsAt: createCatalogue(operations),
    documents: documents(),
    upstreams,
    plain,
    stream,
  })

  let ready = false
  let server: HttpServer | undefined

  /** First of all: refuses what cannot be read, and takes calls of the API. What is left, with its exchange, is for the app. */
  function enter(req: IncomingMessage, res: ServerResponse): Exchange | undefined {
    const exchange = openExchange(req, res, {
      log,
      metrics,
      tracer,
      refused: code => refusals.inc({ code }),
      trustedProxies: config.trustedProxies,
      securityHeaders: headersOfApi,
    })
    const target = readTarget(req.url)
    if (!target) {
      refuse(exchange, 'malformed')
      return undefined
    }
    const provider = isProvider(target.path)
    if (!provider && !isUnder(target.path, '/api')) return exchange
    if (provider) {
      exchange.operation = 'provider'
      exchange.securityHeaders = headersOfPages
    }
    api(exchange, target)
    return undefined
  }

  /** Calls of the API are by far the most and need nothing of Express: they do not pass it. */
  const entered = new WeakMap<IncomingMessage, Exchange>()
  function serve(req: IncomingMessage, res: ServerResponse) {
    try {
      const exchange = enter(req, res)
      if (!exchange) return
      entered.set(req, exchange)
      app(req, res)
    } catch (error) {
      // A fault of ours in one request is not the end of the others.
      log.error({ err: error }, 'request failed')
      res.destroy()
    }
  }

  /** A film outlasts an access token, which is renewed by the next call of the API: an expired one still tells whose it is. */
  const onlySignedIn: RequestHandler = (req, res, next) => {
    const { claims, problem } = sessions.read(req.headers.cookie, clock.now())
    if (claims || problem === 'token_expired') next()
    else refuse(exchangeOf(res), 'no_session')
  }

  const app = express()
  app.disable('x-powered-by')
  app.set('etag', false)
  app.use((req, res, next) => {
    const exchange = entered.get(req) ?? enter(req, res)
    if (!exchange) return
    res.locals.exchange = exchange
    next()
  })
  app.get('/healthz', (_req, res) => json(res, 200, { status: 'ok' }))
  app.get('/readyz', async (_req, res) => {
    const failing: string[] = []
    if (!ready) failing.push('starting')
    await live.ping().catch(() => failing.push('live store'))
    const problem = bus.health()
    const late = problem ? [`event bus: ${problem}`] : []
    json(res, failing.length === 0 ? 200 : 503, { ready: failing.length === 0, service: 'gateway', failing, late })
  })
  app.get('/metrics', async (req, res, next) => {
    if (!isOperator(req)) return next()
    const text = await metrics.registry.metrics()
    answer(exchangeOf(res), 200, text, { 'content-type': metrics.registry.contentType })
  })
  app.use(onlyReading)
  app.use((_req, res, next) => {
    const exchange = exchangeOf(res)
    exchange.operation = 'web'
    exchange.securityHeaders = headersOfPages
    for (const name in headersOfPages) res.setHeader(name, headersOfPages[name]!)
    res.setHeader('x-request-id', exchange.requestId)
    next()
  })
  if (config.mediaRoot) {
    app.use('/media', onlySignedIn, serveMedia(config.mediaRoot))
  }
  app.use(['/media', '/internal', '/oidc', '/metrics'], notFound)
  app.use(serveWeb(config.webRoot))
  app.use(notFound)
  app.use(failed)

  metrics.gauges('watchline_upstream_in_flight', 'Calls under way to a service', 'upstream', () =>
    Object.values(upstreams).map(({ service, inFlight }) => [service, inFlight] as [string, number]),
  )
  measureDependencies({ metrics, bus, live })
  metrics.gauge('watchline_streams_open', 'Open live streams', () => stream.size)

  async function start() {
    presence.start()
    await revocations.start()
    server = createHttpServer(serve, {
      port: config.port,
      host: config.host,
      keepAliveTimeoutMs,
      requestTimeoutMs,
    })
    server.server.headersTimeout = requestTimeoutMs / 2
    server.server.timeout = idleMs
    server.server.on('clientError', answerUnreadable)
    const address = await server.listen()
    ready = true
    log.info({ port: address.port }, 'gateway ready')
    return address
  }

  async function stop() {
    ready = false
    await server?.drain(config.drainMs)
    const closed = server?.close()
    await stream.close()
    await closed
    await revocations.stop()
    await presence.stop()
    for (const upstream of Object.values(upstreams)) await upstream.close()
    metrics.registry.clear()
    log.info('gateway stopped')
  }

  return { name: 'gateway', app, start, stop }

  /** The API reference, made once; it only changes with the code. */
  function documents(): ReadonlyMap<string, (exchange: Exchange) => void> {
    const document = openApi({ cookies: names })
    const text = JSON.stringify(document)
    const page = referencePage(document)
    return new Map([
      [
        '/api/openapi.json',
        exchange =>
          answer(exchange, 200, text, {
            'content-type': 'application/json; charset=utf-8',
            'cache-control': 'no-cache',
          }),
      ],
      [
        '/api/docs',
        exchange => {
          exchange.securityHeaders = headersOfPages
          answer(exchange, 200, page, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' })
        },
      ],
    ])
  }
}

function exchangeOf(res: Response): Exchange {
  return res.locals.exchange as Exchange
}

function json(res: Response, status: number, body: unknown) {
  const exchange = exchangeOf(res)
  exchange.operation = 'health'
  answer(exchange, status, JSON.stringify(body), {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  })
}

const onlyReading: RequestHandler = (req, res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD') next()
  else refuse(exchangeOf(res), 'method_not_allowed', { headers: { allow: 'GET, HEAD' } })
}

const notFound: RequestHandler = (_req, res) => {
  const exchange = exchangeOf(res)
  clear(res)
  refuse(exchange, 'not_found')
}

/** What a file server complains about (a range that cannot be met, a path it will not serve), and anything unforeseen. */
const failed: ErrorRequestHandler = (error, _req, res, _next) => {
  const exchange = exchangeOf(res)
  if (!exchange) {
    res.destroy()
    return
  }
  const { status, headers } = Object(error) as { status?: number; headers?: Record<string, string> }
  if (res.headersSent) {
    res.destroy()
    return
  }
  clear(res)
  if (status === 416) answer(exchange, 416, '', { ...headers })
  else if (status === 400 || status === 403 || status === 412) refuse(exchange, 'malformed')
  else if (status === 404) refuse(exchange, 'not_found')
  else {
    exchange.log.error({ ...idsOf(exchange), err: error }, 'request failed')
    refuse(exchange, 'internal')
  }
}

/** Takes back what a file server has already set for an answer that is not coming. */
function clear(res: Response) {
  for (const name of res.getHeaderNames()) res.removeHeader(name)
}

const privatePeers = new BlockList()
privatePeers.addSubnet('127.0.0.0', 8)
privatePeers.addSubnet('10.0.0.0', 8)
privatePeers.addSubnet('172.16.0.0', 12)
privatePeers.addSubnet('192.168.0.0', 16)
privatePeers.addAddress('::1', 'ipv6')
privatePeers.addSubnet('fc00::', 7, 'ipv6')

/**
 * Metrics are for whoever operates the system: peers on this machine or a private network that reach the gateway directly. What
 * came through a proxy came from outside, whatever its socket says.
 */
function isOperator(req: Request): boolean {
  if (req.headers['x-forwarded-for'] !== undefined || req.headers.forwarded !== undefined) return false
  const peer = (req.socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  return peer !== '' && privatePeers.check(peer, peer.includes(':') ? 'ipv6' : 'ipv4')
}

/** What is not even HTTP. There is no request to answer, only a connection to close with a word. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex) {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  const body = JSON.stringify({ detail: 'The request could not be read.', code: 'malformed', request_id: '' })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
