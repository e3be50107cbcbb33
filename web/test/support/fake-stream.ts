import type { Hint } from '@watchline/contracts/notification'
import type { StreamSource } from '../../src/api/stream.ts'

/** A live stream whose server is the test. */
export class FakeStream implements StreamSource {
  static readonly made: FakeStream[] = []
  static get last(): FakeStream {
    return FakeStream.made.at(-1)!
  }

  readonly url: string
  closed = false
  onopen: StreamSource['onopen'] = null
  onmessage: StreamSource['onmessage'] = null
  onerror: StreamSource['onerror'] = null

  constructor(url: string) {
    this.url = url
    FakeStream.made.push(this)
  }

  close() {
    this.closed = true
  }
  accept() {
    this.onopen?.call(this as never, new Event('open'))
    return this
  }
  say(hint: Hint | object) {
    this.hear(JSON.stringify(hint))
  }
  hear(data: string) {
    this.onmessage?.call(this as never, new MessageEvent('message', { data }))
  }
  fail() {
    this.onerror?.call(this as never, new Event('error'))
  }
}
