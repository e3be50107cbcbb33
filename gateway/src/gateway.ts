import type { IncomingMessage, ServerResponse } from 'node:http'
import { limits } from '@watchline/contracts/limits'
import type { ServiceName } from '@watchline/contracts/operation'
import { operations } from '@watchline/contracts/operations'
import { cookieNames } from '@watchline/identity/cookies'
import { createTokenVerifier } from '@watchline/identity/tokens'
import { systemClock } from '@watchline/kit/core/clock'
import { createAdmissionControl, createEventLoopProbe } from '@watchline/kit/http/admission'
import { eventLoopTargetMs } from '@watchline/kit/http/admit-requests'
import { createHttpServer, type HttpServer } from '@watchline/kit/http/http-server'
import { createStatusServer, type Readiness } from '@watchline/kit/http/status-server'
import { createPresenceRecorder } from '@watchline/kit/live/presence-recorder'
import { createLogger } from '@watchline/kit/observability/log'
import { createMetrics } from '@watchline/kit/observability/metrics'
import { createSecurityLog } from '@watchline/kit/observability/security-log'
import { serverTls } from '@watchline/kit/process/config'
import { measureCertificate, measureDependencies } from '@watchline/kit/process/dependency-metrics'
import type { Ports, Service } from '@watchline/kit/process/service-host'
import type { GatewayConfig } from './config.ts'
import { createPlainForwarder } from './forward/plain.ts'
import { createStreamForwarder } from './forward/stream.ts'
import { createUpstream, createUpstreamMeasures, type Upstream } from './forward/upstream.ts'
import { createConnectionLimit } from './limits/connection-limit.ts'
import { createRateLimits } from './limits/rate-limits.ts'
import { createMediaAccess } from './media/media-access.ts'
import { createPlaylistMedia } from './media/playlist-media.ts'
import { createApiReference } from './pages/api-reference.ts'
import { createApp } from './pages/app.ts'
import { apiHeaders, pageHeaders } from './pages/security-headers.ts'
import { createUnreadableReply } from './requests/connection-errors.ts'
import { createRequestEntry } from './requests/enter-request.ts'
import { createApiCalls } from './requests/handle-api-call.ts'
import { createProxyCheck } from './requests/proxy-check.ts'
import { createHostCheck } from './requests/request-origin.ts'
import { createOperationIndex } from './routing/operation-index.ts'
import { findRow, isUnder, providerRow } from './routing/routing-table.ts'
import { createCsrf } from './session/csrf.ts'
import { createKnownBrowsers } from './session/known-browsers.ts'
import { createRevocations } from './session/revocations.ts'
import { createSessions } from './session/sessions.ts'

/** A client has this long to send a whole request; the services' own limit is the same. */
const requestTimeoutMs = 30_000
/** Browsers and load balancers keep idle connections for less, so that they close first. */
const keepAliveTimeoutMs = 75_000
/** Without traffic in either direction a connection ends. Live streams send far more often. */
const idleMs = 120_000
const maxStreams = 20_000

/**
 * The only entry point from outside: forwards API calls and serves the web build and media. All of
 * its wiring is here.
 */
export function createGateway(config: GatewayConfig, ports: Ports): Service {
  const { bus, live, clock = systemClock } = ports
  const log = ports.log ?? createLogger('gateway', config.logLevel)
  const metrics = createMetrics('gateway')
  const refusals = metrics.counter('watchline_refusals_total', 'Calls the gateway refused itself, by code', ['code'])
  const securityHeaders = { api: apiHeaders(config), page: pageHeaders(config) }
  const names = cookieNames(config.publicUrl)
  const security = createSecurityLog({ log, clock })
  const proxyCheck = createProxyCheck({ trustedProxies: config.trustedProxies, clock, log })

  // session
  const presence = createPresenceRecorder({ live, clock, log })
  const onRevoked = (sid: string, personId?: string) => {
    streams.endSession(sid)
    if (personId) presence.removeSession(personId, sid)
  }
  const revocations = createRevocations({ bus, live, clock, log, onRevoked })
  const tokens = createTokenVerifier(config.tokenPublicKey)
  const knownBrowsers = createKnownBrowsers({ secrets: config.csrfSecrets, secure: names.secure })
  const browserCookie = knownBrowsers.cookieName
  const sessions = createSessions({ names, browserCookie, tokens, isRevoked: revocations.isRevoked })

  // forwarding
  const { answerTimeoutMs } = config
  const plain = createPlainForwarder({ clock, bodyMaxBytes: limits.bodyMaxBytes, answerTimeoutMs })
  const streams = createStreamForwarder({ clock, answerTimeoutMs, maxStreams })
  const measures = createUpstreamMeasures(metrics)
  const upstreams = Object.fromEntries(
    Object.keys(config.upstreams).map(service => [
      service,
      createUpstream(service as ServiceName, config, measures(service)),
    ]),
  ) as Record<ServiceName, Upstream>

  // one request
  const rateLimits = createRateLimits(config.rateLimits)
  const admission = createAdmissionControl({ targetMs: eventLoopTargetMs })
  const probeEventLoop = createEventLoopProbe(admission.recordDelay)
  const isProviderPath = (path: string) => config.devProvider && isUnder(path, providerRow.prefix)
  const handleApiCall = createApiCalls({
    publicUrl: config.publicUrl,
    clock,
    cookieNames: names,
    sessions,
    csrf: createCsrf(config.csrfSecrets),
    knownBrowsers,
    rateLimits,
    admission,
    presence,
    findRow: path => (isProviderPath(path) ? providerRow : findRow(path)),
    findOperations: createOperationIndex(operations),
    apiReference: config.apiDocs ? createApiReference(names, securityHeaders.page) : new Map(),
    upstreams,
    plain,
    streams,
  })
  const isOwnHost = createHostCheck(config.publicUrl, config.allowedHosts)
  const enterRequest = createRequestEntry({
    exchange: {
      log,
      security,
      metrics,
      tracer: ports.tracing?.tracer('gateway'),
      countRefusal: code => refusals.inc({ code }),
      trustedProxies: config.trustedProxies,
      securityHeaders: securityHeaders.api,
    },
    isOwnHost,
    isProviderPath,
    isProviderForAll: config.devProviderForAll,
    pageHeaders: securityHeaders.page,
    handleApiCall,
  })
  let ready = false
  const app = createApp({
    config,
    pageHeaders: securityHeaders.page,
    enterRequest,
    mediaAccess: createMediaAccess({
      secrets: config.mediaSecrets,
      sessions,
      clock,
      rateLimits,
      playlistMedia: createPlaylistMedia({
        upstream: upstreams['playback-session'],
        ownOrigin: new URL(config.publicUrl).origin,
        clock,
        answerTimeoutMs,
      }),
    }),
    rateLimits,
    sessions,
    knownBrowsers,
    clock,
    health: { metrics, readiness, isOwnHost, hasStatusPort: config.metricsPort !== undefined },
  })

  metrics.gauges('watchline_upstream_in_flight', 'Calls under way to a service', 'upstream', () =>
    Object.values(upstreams).map(({ service, inFlight }) => [service, inFlight] as [string, number]),
  )
  measureDependencies({ metrics, bus, live })
  measureCertificate(metrics, config.tlsCertFile)
  metrics.gauge('watchline_streams_open', 'Open live streams', () => streams.size)

  /** API calls are by far the most requests and need nothing of Express, so they bypass it. */
  function serve(req: IncomingMessage, res: ServerResponse) {
    probeEventLoop()
    proxyCheck.checkHeaders(req.headers)
    try {
      if (enterRequest(req, res)) app(req, res)
    } catch (error) {
      // A fault in one request must not end the process and with it all others.
      log.error({ err: error }, 'request failed')
      res.destroy()
    }
  }

  let server: HttpServer | undefined
  let statusServer: ReturnType<typeof createStatusServer> | undefined

  async function readiness(): Promise<Readiness> {
    const failing: string[] = []
    if (!ready) failing.push('starting')
    await live.ping().catch(() => failing.push('live store'))
    const problem = bus.health()
    const proxyProblem = proxyCheck.problem()
    const late = [...(problem ? [`event bus: ${problem}`] : []), ...(proxyProblem ? [proxyProblem] : [])]
    return { ready: failing.length === 0, service: 'gateway', failing, late }
  }

  async function start() {
    const tls = serverTls(config, log)
    if (config.metricsPort !== undefined) {
      statusServer = createStatusServer({ port: config.metricsPort, host: config.host, metrics, readiness, tls })
      await statusServer.listen()
    }
    presence.start()
    await revocations.start()
    const { port, host } = config
    server = createHttpServer(serve, { port, host, keepAliveTimeoutMs, requestTimeoutMs, tls })
    server.server.headersTimeout = requestTimeoutMs / 2
    server.server.timeout = idleMs
    server.server.on('clientError', createUnreadableReply(security))
    if (config.rateLimits && config.trustedProxies === 0)
      server.server.on('connection', createConnectionLimit(config.connectionsPerAddress))
    const address = await server.listen()
    ready = true
    log.info({ port: address.port }, 'gateway ready')
    return address
  }

  async function stop() {
    ready = false
    await server?.drain(config.drainMs)
    const closed = server?.close()
    await streams.close()
    await closed
    await revocations.stop()
    await presence.stop()
    for (const upstream of Object.values(upstreams)) await upstream.close()
    await statusServer?.close()
    metrics.registry.clear()
    log.info('gateway stopped')
  }

  return { name: 'gateway', app, start, stop }
}
