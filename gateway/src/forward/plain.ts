import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Clock } from '@watchline/kit/core/clock'
import { retryAfterS } from '@watchline/kit/http/admission'
import { errorType } from '@watchline/kit/observability/tracing'
import type { Dispatcher } from 'undici'
import { refuse, refuseLargeBody } from '../requests/replies.ts'
import { type ForwardedCall, type Forwarder, startCallSpan } from './forwarder.ts'
import { isUnreachable, type UpstreamAddress, type UpstreamFailure } from './upstream.ts'

/**
 * Bodies up to this size are read whole before the call: one write instead of several, and a slow
 * client occupies no connection of the service. Larger bodies and those without a length are
 * streamed.
 */
const maxBufferedBytes = 16_384

export interface PlainForwarderOptions {
  clock: Clock
  bodyMaxBytes: number
  /** The time a service has to begin its answer. */
  answerTimeoutMs: number
}

type Body = Buffer | Readable | null

class BodyTooLarge extends Error {}
class ClientDisconnected extends Error {}
class TooSlow extends Error {}

/** Forwards plain calls with undici's dispatch; streams both ways with back-pressure. */
export function createPlainForwarder(options: PlainForwarderOptions): Forwarder {
  const { bodyMaxBytes } = options

  return {
    forward: call => {
      const { req } = call.exchange
      const length = Number(req.headers['content-length'] ?? 0)
      const isChunked = req.headers['transfer-encoding'] !== undefined
      if (length > bodyMaxBytes) refuseLargeBody(call.exchange)
      // The body of a GET has no meaning and is not forwarded.
      else if (isRead(req) || (length === 0 && !isChunked)) send(call, null, options)
      else if (length > 0 && length <= maxBufferedBytes) bufferBody(req, body => send(call, body, options))
      else {
        if (!isChunked) call.headers['content-length'] = String(length)
        send(call, undefined, options)
      }
    },
    close: async () => {},
  }
}

function isRead(req: IncomingMessage): boolean {
  return req.method === 'GET' || req.method === 'HEAD'
}

function bufferBody(req: IncomingMessage, onBody: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
  })
  // A client that disconnects now has not called the service yet.
  req.once('error', () => {})
  req.once('end', () => onBody(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
}

/** Sends the call and relays the answer. An undefined body is streamed from the request. */
function send(
  call: ForwardedCall,
  bufferedBody: Body | undefined,
  { clock, bodyMaxBytes, answerTimeoutMs }: PlainForwarderOptions,
): void {
  const { exchange, upstream, path, headers } = call
  const { req, res } = exchange
  const service = upstream.service
  const isReading = isRead(req)
  if (!upstream.hasCapacity({ isReading, needsNoSession: call.needsNoSession, priority: call.priority })) {
    upstream.measure.recordFailure(isReading ? 'shed_poll' : 'shed')
    refuse(exchange, 'overloaded', { retryAfterS, service })
    return
  }

  let controller: Dispatcher.DispatchController | undefined
  let abortReason: Error | undefined
  let finished = false
  let isSuccess = false
  let remainingRetries = isReading ? 1 : 0
  const span = startCallSpan(call)
  const startedAt = performance.now()
  const deadline = setTimeout(() => abort(new TooSlow()), answerTimeoutMs)
  const body = bufferedBody === undefined ? limitedBody(bodyMaxBytes, req, () => deadline.refresh()) : bufferedBody
  upstream.inFlight += 1
  res.once('close', () => {
    if (!res.writableFinished) abort(new ClientDisconnected())
  })

  /** Ends the call to the service, even while it waits for a connection. */
  function abort(reason: Error) {
    if (finished || abortReason) return
    abortReason = reason
    if (controller) controller.abort(reason)
    else finish(reason)
  }

  function finish(error?: Error) {
    if (finished) return
    finished = true
    upstream.inFlight -= 1
    clearTimeout(deadline)
    span?.end(error && (error instanceof ClientDisconnected ? 'aborted' : errorType(error)))
    if (!error) {
      const ms = performance.now() - startedAt
      upstream.measure.recordAnswer(ms / 1_000)
      if (!isReading && isSuccess) upstream.admission.recordDelay(ms)
    }
    if (!isReading && error instanceof TooSlow) upstream.admission.recordDelay(answerTimeoutMs)
    if (!error || error instanceof ClientDisconnected) return
    const failure = failureOf(error)
    if (failure) upstream.measure.recordFailure(failure)
    if (res.headersSent) res.destroy()
    else if (error instanceof BodyTooLarge) refuseLargeBody(exchange)
    else if (error instanceof TooSlow) refuse(exchange, 'too_slow', { service })
    else refuse(exchange, 'unavailable', { retryAfterS: 2, service, cause: error })
  }

  function attempt(failedAddress?: UpstreamAddress) {
    const address = upstream.nextAddress(clock.now(), failedAddress)
    controller = undefined
    address.pool.dispatch(
      { path, method: req.method as Dispatcher.HttpMethod, headers, body },
      {
        onRequestStart: requestController => {
          controller = requestController
          if (abortReason) requestController.abort(abortReason)
        },
        onResponseStart: (_controller, status: number, received: IncomingHttpHeaders) => {
          if (status < 200 || finished || res.destroyed) return
          clearTimeout(deadline)
          isSuccess = status < 300
          res.writeHead(status, call.makeResponseHeaders(received))
        },
        onResponseData: (responseController, chunk: Buffer) => {
          if (res.destroyed || res.write(chunk)) return
          responseController.pause()
          res.once('drain', () => responseController.resume())
        },
        onResponseEnd: () => {
          finish()
          res.end()
        },
        onResponseError: (_controller, error: Error) => {
          if (isUnreachable(error)) upstream.markUnreachable(address, clock.now())
          if (!abortReason && !finished && !res.headersSent && remainingRetries > 0) {
            remainingRetries -= 1
            span?.update(undefined, { 'watchline.retried': true })
            attempt(address)
          } else finish(abortReason ?? error)
        },
      },
    )
  }

  attempt()
}

/** The failure to count; undefined when the client caused it. */
function failureOf(error: Error): UpstreamFailure | undefined {
  if (error.constructor === BodyTooLarge) return undefined
  return error instanceof TooSlow ? 'too_slow' : isUnreachable(error) ? 'unreachable' : 'broken'
}

/**
 * The request's body up to a limit, as a stream of its own. undici destroys the body of a failed
 * call; on the request itself that would close the client's connection before the reply.
 */
function limitedBody(maxBytes: number, req: IncomingMessage, onChunk: () => void): Readable {
  let receivedBytes = 0
  const onData = (chunk: Buffer) => {
    receivedBytes += chunk.length
    if (receivedBytes > maxBytes) body.destroy(new BodyTooLarge())
    else if (!body.push(chunk)) req.pause()
    onChunk()
  }
  const onEnd = () => body.push(null)
  const onError = (error: Error) => body.destroy(error)
  const body = new Readable({
    read: () => void req.resume(),
    destroy: (error, done) => {
      req.off('data', onData).off('end', onEnd)
      // Discards the remaining body, so that the client can read its reply.
      req.resume()
      done(error)
    },
  })
  req.on('data', onData).on('end', onEnd).on('error', onError)
  return body
}
