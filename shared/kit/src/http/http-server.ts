import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Requests under way at the end may finish for so long. */
const farewellMs = 10_000

export interface HttpServerOptions {
  port: number
  host: string
  keepAliveTimeoutMs: number
  requestTimeoutMs: number
  /**
   * A connection is closed with the first answer after this time (a quarter more or less). Whoever keeps connections to a service
   * otherwise never meets the replicas that came later. None: connections live as long as they are used.
   */
  maxConnectionAgeMs?: number
}

/** A server of HTTP that can be taken out of use without a request failing. */
export interface HttpServer {
  readonly server: Server
  /** Resolves once it listens. */
  listen(): Promise<{ port: number; url: string }>
  /**
   * Goes on answering for `ms`, and asks to close the connection with each answer: time for whoever stands before it to turn to
   * others. A connection that is closed while the next request is on its way to it costs that request.
   */
  drain(ms: number): Promise<void>
  /** No new connections; requests under way may finish for ten seconds. */
  close(): Promise<void>
}

export function createHttpServer(listener: RequestListener, options: HttpServerOptions): HttpServer {
  const { maxConnectionAgeMs } = options
  const closesAt = new WeakMap<Socket, number>()
  let draining = false

  const server = createServer((req, res) => {
    const last = draining || (closesAt.get(req.socket) ?? Number.POSITIVE_INFINITY) <= performance.now()
    if (last) res.shouldKeepAlive = false
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
      // A connection with unread bytes is not idle, although the busy process has not read them
      // yet.
      await new Promise(resolve => setImmediate(resolve))
      server.closeIdleConnections()
      const force = setTimeout(() => server.closeAllConnections(), farewellMs)
      await closed
      clearTimeout(force)
    },
  }
}
