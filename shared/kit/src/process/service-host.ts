import express, { type Express } from 'express'
import type { Connection } from 'mongoose'
import { type Clock, systemClock } from '../core/clock.ts'
import type { Lifecycle } from '../core/lifecycle.ts'
import { admitRequests } from '../http/admit-requests.ts'
import type { IdentifyCaller } from '../http/caller.ts'
import { answerErrors } from '../http/error-answers.ts'
import { createHttpServer, type HttpServer } from '../http/http-server.ts'
import { createInternalCredentials, type InternalCredentials } from '../http/internal-credentials.ts'
import { createInternalRouter, type InternalRoute } from '../http/internal-route.ts'
import { mountRoutes } from '../http/mount-routes.ts'
import { requestTrace } from '../http/request-trace.ts'
import type { Route } from '../http/route.ts'
import { createStatusServer, type Readiness } from '../http/status-server.ts'
import type { LiveStore } from '../live/live-store.ts'
import { createRateLimiter, type RateLimiter } from '../live/rate-limit.ts'
import { type Consumer, createConsumerHost } from '../messaging/consumer.ts'
import type { EventBus, Subscription } from '../messaging/event-bus.ts'
import { measureEvents } from '../messaging/event-metrics.ts'
import { createOutbox, type Outbox, type OutboxOptions } from '../messaging/outbox.ts'
import { createDatabase, ensureIndexes, openDatabase } from '../mongo/database.ts'
import { createStalledTransactions } from '../mongo/stalled-transactions.ts'
import { createLogger, type Logger } from '../observability/log.ts'
import { createMetrics, type Metrics } from '../observability/metrics.ts'
import { createSecurityLog, type SecurityLog } from '../observability/security-log.ts'
import type { Tracer, Tracing } from '../observability/tracing.ts'
import { type BaseConfig, serverTls } from './config.ts'
import { measureCertificate, measureDependencies, measurePool } from './dependency-metrics.ts'
import { refuseForeignHosts } from './refuse-foreign-hosts.ts'

/** The dependencies of a service: one adapter of each port, and the clock. */
export interface Ports {
  bus: EventBus
  live: LiveStore
  clock?: Clock
  log?: Logger
  tracing?: Tracing | undefined
  /** See {@link OutboxOptions}; for tests. */
  beforePublish?: OutboxOptions['beforePublish']
}

/** Nothing happens before `start`; `stop` ends everything in reverse order. */
export interface Service {
  name: string
  app: Express
  /** Resolves to its address when it listens. */
  start(): Promise<{ port: number; url: string }>
  /** Accepts no more work, completes running work, and closes connections. */
  stop(): Promise<void>
}

/** The common part of every service: stores, bus, metrics, log. */
export interface ServiceHost {
  name: string
  config: BaseConfig
  connection: Connection
  outbox: Outbox
  bus: EventBus
  live: LiveStore
  rateLimiter: RateLimiter
  clock: Clock
  log: Logger
  security: SecurityLog
  metrics: Metrics
  /** For calls to other services and from them. */
  credentials: InternalCredentials
  /** Undefined without a collector. */
  tracer: Tracer | undefined
}

export interface ServiceWiring<Ctx> {
  ctx: Ctx
  routes: readonly Route<Ctx>[]
  consumers?: readonly Consumer<Ctx>[]
  /** Finds the caller of each request and checks their role. */
  identify: IdentifyCaller
  lifecycles?: readonly Lifecycle[]
  /** Routes for other services, under /internal, never reachable through the gateway. */
  internalRoutes?: readonly InternalRoute<Ctx>[]
  /** Mounts anything else (the development sign-in provider). */
  mount?(app: Express): void
}

/** The lifetime of a gateway's connection is bounded, so that new replicas get traffic. */
const maxConnectionAgeMs = 60_000

export function createServiceHost(name: string, config: BaseConfig, ports: Ports): ServiceHost {
  const log = ports.log ?? createLogger(name, config.logLevel)
  const clock = ports.clock ?? systemClock
  const tracer = ports.tracing?.tracer(name)
  const connection = createDatabase()
  const metrics = createMetrics(name)
  const outbox = createOutbox({
    connection,
    source: name,
    live: ports.live,
    clock,
    log,
    tracer,
    onPublishAttempt: (type, outcome) => metrics.published.inc({ type, outcome }),
    beforePublish: ports.beforePublish,
  })
  return {
    name,
    config,
    connection,
    outbox,
    bus: ports.bus,
    live: ports.live,
    rateLimiter: createRateLimiter({ live: ports.live, clock, enabled: config.rateLimits }),
    clock,
    log,
    security: createSecurityLog({ log, clock }),
    metrics,
    credentials: createInternalCredentials(name, config, clock),
    tracer,
  }
}

export function buildService<Ctx>(host: ServiceHost, wiring: ServiceWiring<Ctx>): Service {
  const { name, config, connection, outbox, bus, live, clock, log, metrics, tracer } = host
  const { checkResponses } = config
  const { consumers = [], lifecycles = [], internalRoutes = [] } = wiring
  const consumerHost = createConsumerHost({
    consumerGroup: name,
    connection,
    outbox,
    log,
    metrics,
    tracer,
    consumers,
    ctx: wiring.ctx,
  })
  const stalledTransactions = createStalledTransactions({ connection, log })
  const app = express()
  const refused = metrics.counter(
    'watchline_refused_requests_total',
    'Requests that the service refused because of overload, by priority',
    ['priority'],
  )
  const stopping = new AbortController()
  let server: HttpServer | undefined
  let statusServer: ReturnType<typeof createStatusServer> | undefined
  let subscription: Subscription | undefined
  let ready = false

  app.disable('x-powered-by')
  app.set('trust proxy', 1)
  app.set('etag', false)
  app.set('query parser', 'simple')
  if (config.nodeEnv !== 'production') app.use(refuseForeignHosts)
  app.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' })
  })
  const hasStatusPort = config.metricsPort !== undefined
  app.get('/readyz', async (_req, res) => {
    const state = await readiness()
    res.status(state.ready ? 200 : 503).json(hasStatusPort ? { ready: state.ready } : state)
  })
  if (!hasStatusPort)
    app.get('/metrics', async (_req, res) => {
      res.type(metrics.registry.contentType).send(await metrics.registry.metrics())
    })
  app.use(requestTrace(host))
  app.use(
    '/internal',
    createInternalRouter({
      routes: internalRoutes,
      ctx: wiring.ctx,
      credentials: host.credentials,
      log,
      checkResponses,
    }),
  )
  wiring.mount?.(app)
  mountRoutes(app, {
    routes: wiring.routes,
    ctx: wiring.ctx,
    identify: wiring.identify,
    live,
    clock,
    checkResponses,
  })
  app.use(...answerErrors(host))

  measureDependencies({ metrics, bus, live, connection })
  measureCertificate(metrics, config.tlsCertFile)
  const observePool = measurePool(metrics)
  measureEvents({ metrics, outbox, bus, clock, consumerGroup: consumers.length > 0 ? name : undefined })

  /**
   * Without the broker a service still works, only late, so the broker does not affect readiness.
   */
  async function readiness(): Promise<Readiness> {
    const failing: string[] = []
    const late: string[] = []
    if (!ready) failing.push('starting')
    if (connection.readyState !== 1) failing.push('mongodb')
    else await connection.db!.command({ ping: 1 }, { timeoutMS: 2_000 }).catch(() => failing.push('mongodb'))
    await live.ping().catch(() => failing.push('live store'))
    const busProblem = bus.health()
    if (busProblem) late.push(`event bus: ${busProblem}`)
    return { ready: failing.length === 0, service: name, failing, late }
  }

  async function start() {
    const tls = serverTls(config, log)
    if (config.metricsPort !== undefined) {
      statusServer = createStatusServer({ port: config.metricsPort, host: config.host, metrics, readiness, tls })
      await statusServer.listen()
    }
    await openDatabase(connection, config.mongoUrl, `${config.databasePrefix}-${name}`)
    observePool(connection)
    // First, because transactions that a crash of this process left open may block what follows.
    stalledTransactions.start(stopping.signal)
    await ensureIndexes(connection)
    for (const lifecycle of lifecycles) await lifecycle.start(stopping.signal)
    if (consumers.length > 0) subscription = await consumerHost.subscribe(bus)
    outbox.startRelay(bus)
    const listener = admitRequests(app, priority => refused.inc({ priority }))
    server = createHttpServer(listener, {
      port: config.port,
      host: config.host,
      // Longer than the gateway's pool keeps a connection, so that only the gateway closes idle
      // ones.
      keepAliveTimeoutMs: 65_000,
      requestTimeoutMs: 30_000,
      maxConnectionAgeMs,
      tls,
    })
    const address = await server.listen()
    ready = true
    log.info({ port: address.port }, 'service ready')
    return address
  }

  async function stop() {
    ready = false
    await server?.drain(config.drainMs)
    stopping.abort()
    await server?.close()
    await subscription?.cancel()
    for (const lifecycle of [...lifecycles].reverse()) await lifecycle.stop()
    await outbox.stopRelay()
    await stalledTransactions.stop()
    await connection.close()
    await statusServer?.close()
    metrics.registry.clear()
    log.info('service stopped')
  }

  return { name, app, start, stop }
}
