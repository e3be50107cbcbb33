import type { ServerResponse } from 'node:http'
import { Connection } from 'better-sse'

const placeholderUrl = new URL('http://stream/')

/**
 * A better-sse connection that holds the response alone. The library's own one creates a Request, a
 * Response and two header sets for each stream, and writes without bound to slow or absent readers.
 */
export class BrowserConnection extends Connection {
  override readonly url = placeholderUrl
  override readonly request: Request
  override readonly response = undefined as unknown as Response
  readonly #res: ServerResponse
  readonly #bufferBytes: number
  readonly #disconnected = new AbortController()

  constructor(res: ServerResponse, bufferBytes: number) {
    super()
    this.#res = res
    this.#bufferBytes = bufferBytes
    this.request = { signal: this.#disconnected.signal } as Request
  }

  override sendHead = () => {
    const res = this.#res
    if (res.destroyed || res.headersSent) return
    // No other request follows on this connection: it closes with the stream.
    res.shouldKeepAlive = false
    res.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
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

  markDisconnected() {
    this.#disconnected.abort()
  }
}
