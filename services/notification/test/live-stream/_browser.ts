import { type IncomingMessage, request } from 'node:http'
import type { Hint } from '@watchline/contracts/notification'
import { eventually } from '@watchline/testing/harness'

export interface ReceivedHint {
  hint: Hint
  id: string
}

/** The browser's end of a stream. It parses the wire format itself, so a test checks every byte. */
export interface TestBrowser {
  response: IncomingMessage
  received: ReceivedHint[]
  heartbeats: number
  retry: number | undefined
  /** How the stream ended, undefined while it is open. */
  ending: 'complete' | 'aborted' | undefined
  hintTypes(): string[]
  /** Waits for the next hint of the type that no earlier call returned. */
  nextHint(type: Hint['type']): Promise<Hint>
  lastId(): string
  /** Closes the connection without notice. */
  disconnect(): void
}

export function openTestBrowser(
  url: string,
  headers: Record<string, string>,
  { path = '/api/stream', method = 'GET' } = {},
): Promise<TestBrowser> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const req = request({ hostname, port, path, method, headers, agent: false })
    req.once('error', reject)
    req.once('response', response => {
      req.off('error', reject).on('error', () => {})
      const answered = new Set<ReceivedHint>()
      const browser: TestBrowser = {
        response,
        received: [],
        heartbeats: 0,
        retry: undefined,
        ending: undefined,
        hintTypes: () => browser.received.map(({ hint }) => hint.type),
        nextHint: type =>
          eventually(() => {
            const unanswered = browser.received.find(received => received.hint.type === type && !answered.has(received))
            if (!unanswered) throw new Error(`no ${type} among ${JSON.stringify(browser.received)}`)
            answered.add(unanswered)
            return unanswered.hint
          }),
        lastId: () => browser.received.at(-1)!.id,
        disconnect: () => req.destroy(),
      }
      let incomplete = ''
      response.setEncoding('utf8').on('data', text => {
        const blocks = (incomplete + text).split('\n\n')
        incomplete = blocks.pop()!
        for (const block of blocks) parseBlock(browser, block)
      })
      response.once('end', () => {
        browser.ending = 'complete'
      })
      response.once('error', () => {})
      response.once('close', () => {
        browser.ending ??= 'aborted'
      })
      resolve(browser)
    })
    req.end()
  })
}

function parseBlock(browser: TestBrowser, block: string) {
  const fields = new Map(
    block.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  if (fields.has('retry')) browser.retry = Number(fields.get('retry'))
  const data = fields.get('data')
  if (data === undefined) return
  const hint: Hint = JSON.parse(data)
  // A heartbeat has no id, so that a reconnection still tells the last hint.
  if (hint.type === 'heartbeat' && !fields.has('id')) browser.heartbeats += 1
  else browser.received.push({ hint, id: fields.get('id')! })
}
