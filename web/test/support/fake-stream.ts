import type { Hint } from '@watchline/contracts/notification'
import type { StreamSource } from '../../src/api/stream.ts'

/** A live stream. The test acts as its server. */
export class FakeStream implements StreamSource {
  static readonly created: FakeStream[] = []
  static get last(): FakeStream {
    return FakeStream.created.at(-1)!
  }

  readonly url: string
  closed = false
  onopen: StreamSource['onopen'] = null
  onmessage: StreamSource['onmessage'] = null
  onerror: StreamSource['onerror'] = null

  constructor(url: string) {
    this.url = url
    FakeStream.created.push(this)
  }

  close() {
    this.closed = true
  }
  accept() {
    this.onopen?.call(this as never, new Event('open'))
    return this
  }
  sendHint(hint: Hint | object) {
    this.sendRaw(JSON.stringify(hint))
  }
  sendRaw(data: string) {
    this.onmessage?.call(this as never, new MessageEvent('message', { data }))
  }
  fail() {
    this.onerror?.call(this as never, new Event('error'))
  }
}
