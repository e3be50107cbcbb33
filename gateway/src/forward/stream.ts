import { Agent, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import type { Clock } from '@watchline/kit/core/clock'
import type { Span } from '@watchline/kit/observability/tracing'
import { createProxyMiddleware } from 'http-proxy-middleware'
import { endSpan } from '../requests/exchange.ts'
import { refuse } from '../requests/replies.ts'
import { type ForwardedCall, type Forwarder, startCallSpan } from './forwarder.ts'
import { isUnreachable, type UpstreamAddress } from './upstream.ts'

export interface StreamForwarderOptions {
  clock: Clock
  /** The time a service has to begin its answer. */
  answerTimeoutMs: number
  maxStreams: number
}

export interface StreamForwarder extends Forwarder {
  readonly size: number
  /** Ends the streams of a login session. */
  endSession(sid: string): void
}

interface OpenStream {
  call: ForwardedCall
  span: Span | undefined
  address: UpstreamAddress
  request?: ClientRequest
  tooSlow: boolean
  retried: boolean
  deadline: NodeJS.Timeout
}

/** A live stream sends at least heartbeats in this time; a silent one is dead. */
const silenceMs = 120_000
/**
 * notification receives the same event and ends the session's streams itself. After this delay the
 * gateway destroys those that are still open.
 */
const sessionEndDelayMs = 1_000

/** Thousands of streams stay open, and the headers of their opening are of no further use. */
function releaseHeaders(call: ForwardedCall, ...messages: IncomingMessage[]) {
  call.headers = {}
  for (const message of messages) {
    message.headers = {}
    message.rawHeaders = []
  }
}

/** Forwards streams with http-proxy-middleware. */
export function createStreamForwarder({ clock, answerTimeoutMs, maxStreams }: StreamForwarderOptions): StreamForwarder {
  const agentOptions = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, timeout: silenceMs }
  const agents = { 'http:': new Agent(agentOptions), 'https:': new TlsAgent(agentOptions) }
  const openStreams = new Map<IncomingMessage, OpenStream>()

  /** An agent is for one protocol, and so is a proxy. */
  const createProxy = (agent: Agent) =>
    createProxyMiddleware<IncomingMessage, ServerResponse>({
      router: req => openStreams.get(req)!.address.origin,
      changeOrigin: true,
      agent,
      proxyTimeout: silenceMs,
      // The proxy sets headers one by one. They would take more memory than the rest of an open
      // stream.
      selfHandleResponse: true,
      logger: { info: () => {}, warn: () => {}, error: () => {} },
      on: {
        proxyReq: (request, req) => {
          const stream = openStreams.get(req)
          if (stream) stream.request = request
          else request.destroy()
        },
        proxyRes: (response, req, res) => {
          const stream = openStreams.get(req)
          if (!stream) return
          clearTimeout(stream.deadline)
          stream.span?.end()
          if (response.statusCode === 200) {
            stream.call.exchange.isStream = true
            endSpan(stream.call.exchange, 200)
          }
          res.writeHead(response.statusCode!, stream.call.makeResponseHeaders(response.headers))
          // Sent alone, the head stays in memory as one text instead of its pieces.
          res.flushHeaders()
          response.on('error', () => res.destroy()).pipe(res)
          releaseHeaders(stream.call, req, response)
        },
        error: (error, req, res) => {
          const stream = openStreams.get(req)
          if (!stream || (res as ServerResponse).headersSent) {
            res.destroy()
            return
          }
          const { upstream } = stream.call
          const { service } = upstream
          upstream.measure.recordFailure(stream.tooSlow ? 'too_slow' : isUnreachable(error) ? 'unreachable' : 'broken')
          if (isUnreachable(error)) {
            upstream.markUnreachable(stream.address, clock.now())
            const nextAddress = upstream.nextAddress(clock.now(), stream.address)
            if (nextAddress !== stream.address && !stream.retried && !stream.tooSlow) {
              stream.retried = true
              stream.address = nextAddress
              send(stream, req, res as ServerResponse)
              return
            }
          }
          if (stream.tooSlow) refuse(stream.call.exchange, 'too_slow', { service })
          else refuse(stream.call.exchange, 'unavailable', { retryAfterS: 2, service, cause: error })
        },
      },
    })
  const proxies = { 'http:': createProxy(agents['http:']), 'https:': createProxy(agents['https:']) }

  function send({ address }: OpenStream, req: IncomingMessage, res: ServerResponse) {
    void proxies[new URL(address.origin).protocol as keyof typeof proxies](req, res, () => {})
  }

  return {
    get size() {
      return openStreams.size
    },
    forward: call => {
      const { req, res } = call.exchange
      if (openStreams.size >= maxStreams) {
        call.upstream.measure.recordFailure('shed')
        refuse(call.exchange, 'overloaded', { retryAfterS: 10, service: call.upstream.service })
        return
      }
      const stream: OpenStream = {
        call,
        span: startCallSpan(call),
        address: call.upstream.nextAddress(clock.now()),
        tooSlow: false,
        retried: false,
        deadline: setTimeout(() => {
          stream.tooSlow = true
          stream.request?.destroy(new Error('no answer in time'))
        }, answerTimeoutMs),
      }
      openStreams.set(req, stream)
      res.once('close', () => {
        clearTimeout(stream.deadline)
        stream.span?.end('aborted')
        stream.request?.destroy()
        openStreams.delete(req)
      })
      // The proxy forwards the headers that it finds on the request.
      req.headers = call.headers
      send(stream, req, res)
    },
    endSession: sid => {
      const cut = () => {
        for (const { call } of openStreams.values()) if (call.sid === sid) call.exchange.res.destroy()
      }
      setTimeout(cut, sessionEndDelayMs).unref()
    },
    close: async () => {
      for (const { call } of [...openStreams.values()]) call.exchange.res.destroy()
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}
