import { type IncomingMessage, request } from 'node:http'
import type { Hint } from '@watchline/contracts/notification'
import { eventually } from '@watchline/testing/harness'

export interface Heard {
  hint: Hint
  id: string
}

/** A browser's end of the stream, read by hand, so that a test sees all that crosses the wire. */
export interface Browser {
  response: IncomingMessage
  heard: Heard[]
  comments: number
  retry: number | undefined
  /** How it ended: in good order, or cut. */
  ended: 'well' | 'cut' | undefined
  types(): string[]
  /** Waits for a hint of the type, of those not waited for before. */
  next(type: Hint['type']): Promise<Hint>
  lastId(): string
  /** Vanishes without a word. */
  cut(): void
}

export function listen(
  url: string,
  headers: Record<string, string>,
  { path = '/api/stream', method = 'GET' } = {},
): Promise<Browser> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const req = request({ hostname, port, path, method, headers, agent: false })
    req.once('error', reject)
    req.once('response', response => {
      req.off('error', reject).on('error', () => {})
      const waited = new Set<Heard>()
      const browser: Browser = {
        response,
        heard: [],
        comments: 0,
        retry: undefined,
        ended: undefined,
        types: () => browser.heard.map(each => each.hint.type),
        next: type =>
          eventually(() => {
            const found = browser.heard.find(each => each.hint.type === type && !waited.has(each))
            if (!found) throw new Error(`no ${type} among ${JSON.stringify(browser.heard)}`)
            waited.add(found)
            return found.hint
          }),
        lastId: () => browser.heard.at(-1)!.id,
        cut: () => req.destroy(),
      }
      let rest = ''
      response.setEncoding('utf8').on('data', text => {
        const blocks = (rest + text).split('\n\n')
        rest = blocks.pop()!
        for (const block of blocks) read(browser, block)
      })
      response.once('end', () => {
        browser.ended = 'well'
      })
      response.once('error', () => {})
      response.once('close', () => {
        browser.ended ??= 'cut'
      })
      resolve(browser)
    })
    req.end()
  })
}

function read(browser: Browser, block: string) {
  const fields = new Map(
    block.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  if (fields.has('')) browser.comments += 1
  if (fields.has('retry')) browser.retry = Number(fields.get('retry'))
  const data = fields.get('data')
  if (data !== undefined) browser.heard.push({ hint: JSON.parse(data), id: fields.get('id')! })
}
