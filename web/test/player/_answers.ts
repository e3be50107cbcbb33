import { setImmediate } from 'node:timers'
import type { Answer } from '../../src/api/call-operation.ts'
import type { PlayerApi } from '../../src/features/player/player-api.ts'
import type { RequestOptions } from '../../src/outbox/outbox-types.ts'

export const okAnswer = { ok: true as const, data: undefined as never, headers: new Headers() }
export const makeFailure = (status: number, details: { code?: string; retryAfter?: number; detail?: string } = {}) =>
  ({ ok: false, status, code: `http_${status}`, message: 'no', ...details }) as const
export const elsewhereAnswer = makeFailure(409, { code: 'monitoring_elsewhere' })

/** A server that records its calls in order. A test sets its answers. */
export function createServer() {
  const received: { call: string; body: unknown; options?: RequestOptions | undefined }[] = []
  let respond: (call: string, body: unknown, options?: RequestOptions) => Answer<never> | Promise<Answer<never>> = () =>
    okAnswer
  const answer = (call: string) => async (body?: unknown, options?: RequestOptions) => {
    received.push({ call, body, options })
    return respond(call, body, options)
  }
  const api: PlayerApi = {
    send: ({ kind, body }, options) => answer(kind)(body, options),
    getSessionStatus: answer('session-status'),
    getWatched: answer('watched'),
    getAttentionCheck: () => answer('open-attention-check')(),
    heartbeat: () => answer('heartbeat')(),
    reportUnavailable: async (playlistId, videoId, code) => answer('report-unavailable')({ playlistId, videoId, code }),
  }
  return {
    api,
    received,
    calls: () => received.map(({ call }) => call),
    answerWith(next: typeof respond) {
      respond = next
    },
  }
}

/** Timers whose clock the test advances, in ms. */
export function createTimers() {
  let pendingTimers: { at: number; run: () => void }[] = []
  let now = 1_000_000
  return {
    now: () => now,
    schedule(ms: number, run: () => void) {
      const timer = { at: now + ms, run }
      pendingTimers.push(timer)
      return () => {
        pendingTimers = pendingTimers.filter(candidate => candidate !== timer)
      }
    },
    waits: () => pendingTimers.map(timer => timer.at - now).sort((a, b) => a - b),
    /** Advances the clock timer by timer, and waits for all promises in between. */
    async pass(ms: number) {
      const until = now + ms
      for (;;) {
        await settleAll()
        const [next] = pendingTimers.filter(timer => timer.at <= until).sort((a, b) => a.at - b.at)
        if (!next) break
        now = next.at
        pendingTimers = pendingTimers.filter(timer => timer !== next)
        next.run()
      }
      now = until
      await settleAll()
    },
  }
}

export type Timers = ReturnType<typeof createTimers>

/** Waits until databases and promises have nothing left to do. */
export async function settleAll(): Promise<void> {
  for (let round = 0; round < 150; round += 1) await new Promise<void>(resolve => setImmediate(resolve))
}
