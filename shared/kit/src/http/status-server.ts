import type { Metrics } from '../observability/metrics.ts'
import { createHttpServer, type ServerTls } from './http-server.ts'

/** The state of a process. `failing` prevents its work; `late` only delays it. */
export interface Readiness {
  ready: boolean
  service: string
  failing: string[]
  late: string[]
}

export interface StatusServerOptions {
  port: number
  host: string
  metrics: Metrics
  readiness(): Promise<Readiness>
  tls?: ServerTls | undefined
}

/**
 * `/healthz`, `/readyz` and `/metrics` on a port of their own, which only operators reach. They
 * tell much about a system, so they must not be on a port that others reach.
 */
export function createStatusServer({ port, host, metrics, readiness, tls }: StatusServerOptions) {
  const pages: Record<string, () => Promise<{ status: number; type: string; body: string }>> = {
    '/healthz': async () => asJson(200, { status: 'ok' }),
    '/readyz': async () => {
      const state = await readiness()
      return asJson(state.ready ? 200 : 503, state)
    },
    '/metrics': async () => {
      const { registry } = metrics
      return { status: 200, type: registry.contentType, body: await registry.metrics() }
    },
  }
  const server = createHttpServer(
    (req, res) => {
      const page = req.method === 'GET' ? pages[req.url ?? ''] : undefined
      const answer = page ? page() : Promise.resolve(asJson(404, { detail: 'Not found' }))
      answer.then(
        ({ status, type, body }) =>
          res.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body),
        () => res.writeHead(500).end(),
      )
    },
    { port, host, keepAliveTimeoutMs: 65_000, requestTimeoutMs: 30_000, tls },
  )
  return { listen: server.listen, close: server.close }
}

function asJson(status: number, body: unknown) {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(body) }
}
