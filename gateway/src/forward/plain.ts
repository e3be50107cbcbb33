import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Clock } from '@watchline/kit/core/clock'
import { errorType } from '@watchline/kit/observability/tracing'
import type { Dispatcher } from 'undici'
import { refuse, refuseBody } from '../exchange.ts'
import { type Call, type Forwarder, spanOfCall } from './forward.ts'
import { type Address, isUnreachable, type UpstreamFailure } from './upstream.ts'

/**
 * A body of at most this is taken in whole before the service is called: one write instead of several, and a slow client holds
 * no connection there. Larger ones and those of unknown length are streamed.
 */
const wholeBytes = 16_384

export interface PlainOptions {
  clock: Clock
  bodyMaxBytes: number
  /** How long a service may take until its answer begins. */
  answerTimeoutMs: number
}

type Body = Buffer | Readable | null

class BodyTooLarge extends Error {}
class ClientGone extends Error {}
class TooSlow extends Error {}

/** Forwards plain calls by undici's dispatch, streaming both ways with back-pressure. */
export function createPlainForwarder(options: PlainOptions): Forwarder {
  const { bodyMaxBytes } = options

  return {
    forward: call => {
      const { req } = call.exchange
      const length = Number(req.headers['content-length'] ?? 0)
      const chunked = req.headers['transfer-encoding'] !== undefined
      if (length > bodyMaxBytes) refuseBody(call.exchange)
      // A GET has no body of meaning: one that came is not passed on.
      else if (isRead(req) || (length === 0 && !chunked)) relay(call, null, options)
      else if (length > 0 && length <= wholeBytes) takeWhole(req, body => relay(call, body, options))
      else {
        if (!chunked) call.headers['content-length'] = String(length)
        relay(call, undefined, options)
      }
    },
    close: async () => {},
  }
}

function isRead(req: IncomingMessage): boolean {
  return req.method === 'GET' || req.method === 'HEAD'
}

function takeWhole(req: IncomingMessage, then: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
  })
  // A client that goes away meanwhile has asked for nothing yet.
  req.once('error', () => {})
  req.once('end', () => then(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
}

/** Sends the call and brings the answer back. `body` undefined: streamed as it comes. */
function relay(call: Call, given: Body | undefined, { clock, bodyMaxBytes, answerTimeoutMs }: PlainOptions): void {
  const { exchange, upstream, path, headers } = call
  const { req, res } = exchange
  const service = upstream.service
  const poll = isRead(req)
  if (!upstream.hasRoom(poll)) {
    upstream.measure.failed(poll ? 'shed_poll' : 'shed')
    refuse(exchange, 'overloaded', { retryAfterS: 2, service })
    return
  }

  let controller: Dispatcher.DispatchController | undefined
  let stopped: Error | undefined
  let settled = false
  let retries = poll ? 1 : 0
  const span = spanOfCall(call)
  const from = performance.now()
  const deadline = setTimeout(() => stop(new TooSlow()), answerTimeoutMs)
  const body = given === undefined ? upTo(bodyMaxBytes, req, () => deadline.refresh()) : given
  upstream.inFlight += 1
  res.once('close', () => {
    if (!res.writableFinished) stop(new ClientGone())
  })

  /** Ends the call to the service, also one that still waits for a connection. */
  function stop(reason: Error) {
    if (settled || stopped) return
    stopped = reason
    if (controller) controller.abort(reason)
    else settle(reason)
  }

  function settle(error?: Error) {
    if (settled) return
    settled = true
    upstream.inFlight -= 1
    clearTimeout(deadline)
    span?.end(error && (error instanceof ClientGone ? 'aborted' : errorType(error)))
    if (!error) upstream.measure.answered((performance.now() - from) / 1_000)
    if (!error || error instanceof ClientGone) return
    const failure = failureOf(error)
    if (failure) upstream.measure.failed(failure)
    if (res.headersSent) res.destroy()
    else if (error instanceof BodyTooLarge) refuseBody(exchange)
    else if (error instanceof TooSlow) refuse(exchange, 'too_slow', { service })
    else refuse(exchange, 'unavailable', { retryAfterS: 2, service, cause: error })
  }

  function attempt(besides?: Address) {
    const address = upstream.next(clock.now(), besides)
    controller = undefined
    address.pool.dispatch(
      { path, method: req.method as Dispatcher.HttpMethod, headers, body },
      {
        onRequestStart: started => {
          controller = started
          if (stopped) started.abort(stopped)
        },
        onResponseStart: (_controller, status: number, given: IncomingHttpHeaders) => {
          if (status < 200 || settled || res.destroyed) return
          clearTimeout(deadline)
          res.writeHead(status, call.answerHeaders(given))
        },
        onResponseData: (receiving, chunk: Buffer) => {
          if (res.destroyed || res.write(chunk)) return
          receiving.pause()
          res.once('drain', () => receiving.resume())
        },
        onResponseEnd: () => {
          settle()
          res.end()
        },
        onResponseError: (_controller, error: Error) => {
          if (isUnreachable(error)) upstream.failed(address, clock.now())
          if (!stopped && !settled && !res.headersSent && retries > 0) {
            retries -= 1
            span?.note(undefined, { 'watchline.retried': true })
            attempt(address)
          } else settle(stopped ?? error)
        },
      },
    )
  }

  attempt()
}

/** Whose fault it was, unless the client's. */
function failureOf(error: Error): UpstreamFailure | undefined {
  if (error.constructor === BodyTooLarge) return undefined
  return error instanceof TooSlow ? 'too_slow' : isUnreachable(error) ? 'unreachable' : 'broken'
}

/**
 * The request's body as far as it is allowed, as a stream of its own: undici destroys the body of a call that has failed, which
 * on the request itself would take the client's connection, and the answer, with it.
 */
function upTo(max: number, req: IncomingMessage, heard: () => void): Readable {
  let seen = 0
  const onData = (chunk: Buffer) => {
    seen += chunk.length
    if (seen > max) body.destroy(new BodyTooLarge())
    else if (!body.push(chunk)) req.pause()
    heard()
  }
  const onEnd = () => body.push(null)
  const onError = (error: Error) => body.destroy(error)
  const body = new Readable({
    read: () => void req.resume(),
    destroy: (error, done) => {
      req.off('data', onData).off('end', onEnd)
      // What the client still sends is thrown away, so that it gets to read its answer.
      req.resume()
      done(error)
    },
  })
  req.on('data', onData).on('end', onEnd).on('error', onError)
  return body
}
