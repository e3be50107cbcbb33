import type { ServerResponse } from 'node:http'
import { limits } from '@watchline/contracts/limits'
import type { Hint } from '@watchline/contracts/notification'
import { createEventBuffer, Session } from 'better-sse'
import { BrowserConnection } from './browser-connection.ts'
import { createHintSpacing } from './hint-spacing.ts'

/** One open stream to one browser. */
export interface BrowserStream {
  send(hint: Hint): void
  /** Ends the response; cuts a reader that is behind. */
  end(): void
}

/** The bounds of a stream: the product's limits, unless a test has others. */
export interface StreamBounds {
  heartbeatMs: number
  lifeMs: number
  /** Bytes that may wait for a slow reader; with more the stream is cut. */
  bufferBytes: number
  /** Streams of one person. */
  perPerson: number
}

export interface StreamOptions {
  bounds: StreamBounds
  /** The browser may have missed hints since its last connection. */
  missed: boolean
  /** The time at which the stream ends by itself, ms. */
  endsAt: number
  now(): number
  nextId(): string
  onSent(hint: Hint): void
  /** Called once, when either side ends the stream. */
  onClosed(): void
}

const heartbeat = createEventBuffer()
  .data({ type: 'heartbeat' } satisfies Hint)
  .dispatch()

/**
 * Sends `hello`, then hints. A regular heartbeat shows browser and proxies that the stream is
 * alive.
 */
export function openBrowserStream(res: ServerResponse, options: StreamOptions): BrowserStream {
  const { bounds } = options
  const connection = new BrowserConnection(res, bounds.bufferBytes)
  const session = new Session(connection, { retry: limits.streamRetryMs, keepAlive: null, trustClientEventId: false })
  const spacing = createHintSpacing(spacingMs, push)
  let { missed } = options
  let isEnding = false
  let timer: NodeJS.Timeout | undefined

  function push(hint: Hint) {
    session.push(hint, 'message', options.nextId())
    options.onSent(hint)
  }

  function sendHeartbeat() {
    if (options.now() >= options.endsAt) end()
    else void session.batch(heartbeat)
  }

  function end() {
    isEnding = true
    // Without its head this would be an empty answer, after which browsers do not reconnect.
    if (!session.isConnected) return
    res.end()
    setImmediate(() => {
      if (!res.writableFinished) res.destroy()
    })
  }

  res.socket?.setNoDelay(true)
  res.on('error', () => {})
  res.once('close', () => {
    clearInterval(timer)
    spacing.stop()
    connection.markDisconnected()
    options.onClosed()
  })
  session.once('connected', () => {
    push({ type: 'hello', missed })
    if (isEnding) end()
    else if (!res.destroyed) timer = setInterval(sendHeartbeat, bounds.heartbeatMs)
  })

  return {
    send: hint => {
      // The coming hello stands for a hint that precedes it.
      if (!session.isConnected) missed = true
      else if (hint.type === 'hello' || hint.type === 'session') push(hint)
      else spacing.send(hint)
    },
    end,
  }
}

function spacingMs({ type }: Hint): number {
  return type === 'chat' ? limits.chatHintSpacingMs : limits.hintSpacingMs
}
