import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CertificateFiles, readServerCertificate, watchServerCertificate } from '../core/tls.ts'
import type { Logger } from '../observability/log.ts'

/** Running requests may finish for this long after `close`. */
const closeTimeoutMs = 10_000

/**
 * As many new connections wait while the process is busy. Linux drops those beyond it, and their
 * clients try again after a second or give up. Linux itself limits it (`net.core.somaxconn`, 4096).
 */
const waitingConnectionsMax = 4_096

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
  /** With it the server speaks https only. Undefined: http. */
  tls?: ServerTls | undefined
}

export interface ServerTls {
  files: CertificateFiles
  log: Pick<Logger, 'info' | 'error'>
  /** How often the files are read again; for tests. */
  rereadMs?: number
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
  const { maxConnectionAgeMs, tls } = options
  const closesAt = new WeakMap<Socket, number>()
  let draining = false

  const answer: RequestListener = (req, res) => {
    const isLast = draining || (closesAt.get(req.socket) ?? Number.POSITIVE_INFINITY) <= performance.now()
    if (isLast) res.shouldKeepAlive = false
    listener(req, res)
  }
  const { server, stopWatching } = tls ? createTlsServer(answer, tls) : { server: createServer(answer) }
  server.keepAliveTimeout = options.keepAliveTimeoutMs
  server.requestTimeout = options.requestTimeoutMs
  if (maxConnectionAgeMs !== undefined)
    server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
      closesAt.set(socket, performance.now() + maxConnectionAgeMs * (0.75 + Math.random() / 2))
    })

  return {
    server,
    listen: async () => {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(options.port, options.host, waitingConnectionsMax, resolve)
      })
      const { port } = server.address() as AddressInfo
      return {
        port,
        url: `${tls ? 'https' : 'http'}://${options.host === '0.0.0.0' ? '127.0.0.1' : options.host}:${port}`,
      }
    },
    drain: async ms => {
      draining = true
      if (ms > 0 && server.listening) await sleep(ms)
    },
    close: async () => {
      draining = true
      stopWatching?.()
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

function createTlsServer(listener: RequestListener, { files, log, rereadMs }: ServerTls) {
  const server = createSecureServer({ ...readServerCertificate(files), minVersion: 'TLSv1.2' }, listener)
  // Open connections keep the previous certificate.
  const { stop } = watchServerCertificate(files, {
    log,
    everyMs: rereadMs,
    apply: certificate => server.setSecureContext({ ...certificate, minVersion: 'TLSv1.2' }),
  })
  return { server: server as Server, stopWatching: stop }
}
