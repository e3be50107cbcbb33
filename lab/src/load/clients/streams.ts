import type { Dispatcher } from 'undici'
import { failureKindOf, type Tally } from './tally.ts'

const reopenMs = 250
const operation = 'stream opened'

/**
 * Keeps live streams open, as pages do. A stream that ends is opened again and counts once more. A
 * stream that cannot be opened is a failure.
 */
export function keepStreamsOpen(
  url: string,
  dispatcher: Dispatcher,
  cookies: readonly (() => string)[],
  tally: Tally,
  currentPhase: () => string,
) {
  const stopping = new AbortController()
  const { signal } = stopping

  async function keepOpen(cookie: () => string, settle: () => void) {
    while (!signal.aborted) {
      const startedAt = performance.now()
      let isOpen = false
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
        isOpen = answer.statusCode === 200
        if (isOpen) tally.countAnswer(currentPhase(), operation, performance.now() - startedAt)
        else tally.countFailure(currentPhase(), operation, `status ${answer.statusCode}`)
        settle()
        // Only the end of the stream matters here, not its events.
        for await (const _ of answer.body);
      } catch (error) {
        if (!isOpen && !signal.aborted) tally.countFailure(currentPhase(), operation, failureKindOf(error))
      }
      settle()
      if (!signal.aborted) await new Promise(resolve => setTimeout(resolve, reopenMs * (0.5 + Math.random())))
    }
  }

  const firstTries: Promise<void>[] = []
  const running = cookies.map(cookie => {
    const { promise, resolve } = Promise.withResolvers<void>()
    firstTries.push(promise)
    return keepOpen(cookie, resolve)
  })
  return {
    /** Resolves when each stream was tried once. */
    tried: async () => {
      await Promise.all(firstTries)
    },
    close: async () => {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
