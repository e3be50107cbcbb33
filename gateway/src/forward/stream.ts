import { Agent, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Clock } from '@watchline/kit/core/clock'
import type { Span } from '@watchline/kit/observability/tracing'
import { createProxyMiddleware } from 'http-proxy-middleware'
import { endSpan, refuse } from '../exchange.ts'
import { type Call, type Forwarder, spanOfCall } from './forward.ts'
import { type Address, isUnreachable } from './upstream.ts'

export interface StreamOptions {
  clock: Clock
  answerTimeoutMs: number
  maxStreams: number
}

export interface StreamForwarder extends Forwarder {
  readonly size: number
  /** Ends the streams of a login session. */
  endSession(sid: string): void
}

interface Open {
  call: Call
  span: Span | undefined
  address: Address
  request?: ClientRequest
  tooSlow: boolean
  triedAgain: boolean
  deadline: NodeJS.Timeout
}

/** A stream says at least something in this time (the services' keep-alive comments), or it is dead. */
const silenceMs = 120_000
/** The service hears of a session's end by the same event, says so on the stream and ends it; what is open later is cut. */
const partingMs = 1_000

/** What a stream was opened with is of no use while it is open, and thousands of them are. */
function forgetHeaders(call: Call, ...messages: IncomingMessage[]) {
  call.headers = {}
  for (const message of messages) {
    message.headers = {}
    message.rawHeaders = []
  }
}

/** Forwards what stays open, by http-proxy-middleware. */
export function createStreamForwarder({ clock, answerTimeoutMs, maxStreams }: StreamOptions): StreamForwarder {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, timeout: silenceMs })
  const open = new Map<IncomingMessage, Open>()

  const proxy = createProxyMiddleware<IncomingMessage, ServerResponse>({
    router: req => open.get(req)!.address.origin,
    changeOrigin: true,
    agent,
    proxyTimeout: silenceMs,
    // Set one by one, as the proxy would, the headers of an open answer take more memory than all else of it.
    selfHandleResponse: true,
    logger: { info: () => {}, warn: () => {}, error: () => {} },
    on: {
      proxyReq: (request, req) => {
        const stream = open.get(req)
        if (stream) stream.request = request
        else request.destroy()
      },
      proxyRes: (answered, req, res) => {
        const stream = open.get(req)
        if (!stream) return
        clearTimeout(stream.deadline)
        stream.span?.end()
        if (answered.statusCode === 200) {
          stream.call.exchange.keptOpen = true
          endSpan(stream.call.exchange, 200)
        }
        res.writeHead(answered.statusCode!, stream.call.answerHeaders(answered.headers))
        // By itself, the head is kept as one text instead of the pieces it was made of.
        res.flushHeaders()
        answered.on('error', () => res.destroy()).pipe(res)
        forgetHeaders(stream.call, req, answered)
      },
      error: (error, req, res) => {
        const stream = open.get(req)
        if (!stream || (res as ServerResponse).headersSent) {
          res.destroy()
          return
        }
        const { upstream } = stream.call
        const { service } = upstream
        upstream.measure.failed(stream.tooSlow ? 'too_slow' : isUnreachable(error) ? 'unreachable' : 'broken')
        if (isUnreachable(error)) {
          upstream.failed(stream.address, clock.now())
          const other = upstream.next(clock.now(), stream.address)
          if (other !== stream.address && !stream.triedAgain && !stream.tooSlow) {
            stream.triedAgain = true
            stream.address = other
            void proxy(req, res as ServerResponse, () => {})
            return
          }
        }
        if (stream.tooSlow) refuse(stream.call.exchange, 'too_slow', { service })
        else refuse(stream.call.exchange, 'unavailable', { retryAfterS: 2, service, cause: error })
      },
    },
  })

  return {
    get size() {
      return open.size
    },
    forward: call => {
      const { req, res } = call.exchange
      if (open.size >= maxStreams) {
        call.upstream.measure.failed('shed')
        refuse(call.exchange, 'overloaded', { retryAfterS: 10, service: call.upstream.service })
        return
      }
      const stream: Open = {
        call,
        span: spanOfCall(call),
        address: call.upstream.next(clock.now()),
        tooSlow: false,
        triedAgain: false,
        deadline: setTimeout(() => {
          stream.tooSlow = true
          stream.request?.destroy(new Error('no answer in time'))
        }, answerTimeoutMs),
      }
      open.set(req, stream)
      res.once('close', () => {
        clearTimeout(stream.deadline)
        stream.span?.end('aborted')
        stream.request?.destroy()
        open.delete(req)
      })
      // What goes out is what is on the request: the proxy passes on whatever it finds there.
      req.headers = call.headers
      void proxy(req, res, () => {})
    },
    endSession: sid => {
      const cut = () => {
        for (const { call } of open.values()) if (call.sid === sid) call.exchange.res.destroy()
      }
      setTimeout(cut, partingMs).unref()
    },
    close: async () => {
      for (const { call } of [...open.values()]) call.exchange.res.destroy()
      agent.destroy()
    },
  }
}
