import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Running requests may finish for this long after `close`. */
const closeTimeoutMs = 10_000

export interface HttpServerOptions {
  port: number
  host: string
  keepAliveTimeoutMs: number
  requestTimeoutMs: number
  /**
   * A connection closes with the first answer after this time, varied by a quarter. Otherwise
   * clients that keep connections never reach new replicas. Undefined: no limit.
   */
  maxConnectionAgeMs?: number
}

/** An HTTP server that can be stopped without failed requests. */
export interface HttpServer {
  readonly server: Server
  /** Resolves when it listens. */
  listen(): Promise<{ port: number; url: string }>
  /**
   * Keeps answering for `ms` and closes each connection with its answer, so that load balancers can
   * turn to other replicas. A connection that closes while a request is on its way loses that
   * request.
   */
  drain(ms: number): Promise<void>
  /** Accepts no new connections; running requests may finish for ten seconds. */
  close(): Promise<void>
}

export function createHttpServer(listener: RequestListener, options: HttpServerOptions): HttpServer {
  const { maxConnectionAgeMs } = options
  const closesAt = new WeakMap<Socket, number>()
  let draining = false

  const server = createServer((req, res) => {
    const isLast = draining || (closesAt.get(req.socket) ?? Number.POSITIVE_INFINITY) <= performance.now()
    if (isLast) res.shouldKeepAlive = false
    listener(req, res)
  })
  server.keepAliveTimeout = options.keepAliveTimeoutMs
  server.requestTimeout = options.requestTimeoutMs
  if (maxConnectionAgeMs !== undefined)
    server.on('connection', socket => {
      closesAt.set(socket, performance.now() + maxConnectionAgeMs * (0.75 + Math.random() / 2))
    })

  return {
    server,
    listen: async () => {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(options.port, options.host, resolve)
      })
      const { port } = server.address() as AddressInfo
      return { port, url: `http://${options.host === '0.0.0.0' ? '127.0.0.1' : options.host}:${port}` }
    },
    drain: async ms => {
      draining = true
      if (ms > 0 && server.listening) await sleep(ms)
    },
    close: async () => {
      draining = true
      if (!server.listening) return
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      // A connection with unread bytes is not idle, although the process has not read them yet.
      await new Promise(resolve => setImmediate(resolve))
      server.closeIdleConnections()
      const force = setTimeout(() => server.closeAllConnections(), closeTimeoutMs)
      await closed
      clearTimeout(force)
    },
  }
}
