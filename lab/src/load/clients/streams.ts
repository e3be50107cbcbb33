import type { Dispatcher } from 'undici'
import { kindOf, type Tally } from './tally.ts'

const againMs = 250

/**
 * Live streams, as open pages hold them. A stream that ends and reopens is normal and is counted separately. A stream that
 * cannot be opened is a failure.
 */
export function openStreams(
  url: string,
  dispatcher: Dispatcher,
  cookies: readonly (() => string)[],
  tally: Tally,
  phase: () => string,
) {
  const ending = new AbortController()
  const { signal } = ending

  async function hold(cookie: () => string) {
    while (!signal.aborted) {
      const since = performance.now()
      let open = false
      try {
        const answer = await dispatcher.request({
          origin: url,
          path: '/api/stream',
          method: 'GET',
          headers: { accept: 'text/event-stream', cookie: cookie() },
          headersTimeout: 20_000,
          bodyTimeout: 0,
          signal,
        })
        open = answer.statusCode === 200
        if (open) tally.answered(phase(), 'stream opened', performance.now() - since)
        else tally.failed(phase(), 'stream opened', `status ${answer.statusCode}`)
        // Only the end of the stream matters here, not its events.
        for await (const _ of answer.body);
      } catch (error) {
        if (!open && !signal.aborted) tally.failed(phase(), 'stream opened', kindOf(error))
      }
      if (!signal.aborted) await new Promise(resolve => setTimeout(resolve, againMs * (0.5 + Math.random())))
    }
  }

  const all = cookies.map(hold)
  return {
    close: async () => {
      ending.abort()
      await Promise.all(all)
    },
  }
}
