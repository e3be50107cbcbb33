import type { ServerResponse } from 'node:http'
import { limits } from '@watchline/contracts/limits'
import type { Hint } from '@watchline/contracts/notification'
import { Connection, createEventBuffer, Session } from 'better-sse'
import { createSpacing } from './hint-spacing.ts'

/** One open stream to one browser. */
export interface Stream {
  say(hint: Hint): void
  /** Ends it in good order; a reader that is behind is cut off. */
  end(): void
}

/** What bounds a stream; the product's limits unless a test has others. */
export interface StreamBounds {
  heartbeatMs: number
  lifeMs: number
  /** What may wait for a reader that does not read. */
  bufferBytes: number
  /** Streams of one person. */
  perPerson: number
}

export interface StreamOptions {
  bounds: StreamBounds
  /** Something may have been said since the browser was last connected. */
  missed: boolean
  /** When it ends by itself, ms. */
  endsAt: number
  now(): number
  nextId(): string
  said(hint: Hint): void
  /** It is over, whoever ended it; called once. */
  closed(): void
}

const heartbeat = createEventBuffer().comment().dispatch()
const anyUrl = new URL('http://stream/')

/**
 * The library's own connection makes a Request, a Response and two sets of headers for every stream, lets the query ask for padding,
 * and writes to whoever is gone. This one is the answer alone, and does not grow behind a reader who does not read.
 */
class Browser extends Connection {
  override readonly url = anyUrl
  override readonly request: Request
  override readonly response = undefined as unknown as Response
  readonly #res: ServerResponse
  readonly #bufferBytes: number
  readonly #gone = new AbortController()

  constructor(res: ServerResponse, bufferBytes: number) {
    super()
    this.#res = res
    this.#bufferBytes = bufferBytes
    this.request = { signal: this.#gone.signal } as Request
  }

  override sendHead = () => {
    const res = this.#res
    if (res.destroyed || res.headersSent) return
    // Nothing follows a stream on its connection; ended, it is closed.
    res.shouldKeepAlive = false
    res.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    })
  }

  override sendChunk = (chunk: string) => {
    const res = this.#res
    if (res.destroyed || res.writableEnded) return
    res.write(chunk)
    if (res.writableLength > this.#bufferBytes) res.destroy()
  }

  override cleanup = () => {}

  left() {
    this.#gone.abort()
  }
}

/** Begins a stream: `hello`, then hints as they come, and a comment now and then by which all on the way see that it lives. */
export function openStream(res: ServerResponse, options: StreamOptions): Stream {
  const { bounds } = options
  const browser = new Browser(res, bounds.bufferBytes)
  const session = new Session(browser, { retry: limits.streamRetryMs, keepAlive: null, trustClientEventId: false })
  const spacing = createSpacing(spacingOf, push)
  let { missed } = options
  let ending = false
  let timer: NodeJS.Timeout | undefined

  function push(hint: Hint) {
    session.push(hint, 'message', options.nextId())
    options.said(hint)
  }

  function beat() {
    if (options.now() >= options.endsAt) end()
    else void session.batch(heartbeat)
  }

  function end() {
    ending = true
    // Before its head it would be no stream but an empty answer, after which browsers do not come again.
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
    browser.left()
    options.closed()
  })
  session.once('connected', () => {
    push({ type: 'hello', missed })
    if (ending) end()
    else if (!res.destroyed) timer = setInterval(beat, bounds.heartbeatMs)
  })

  return {
    say: hint => {
      // Not even begun: hello stands for it.
      if (!session.isConnected) missed = true
      else if (hint.type === 'hello' || hint.type === 'session') push(hint)
      else spacing.take(hint)
    },
    end,
  }
}

function spacingOf({ type }: Hint): number {
  return type === 'chat' ? limits.chatHintSpacingMs : limits.hintSpacingMs
}
