import { setImmediate } from 'node:timers'
import type { Answer } from '../../src/api/call-operation.ts'
import type { PlayerApi } from '../../src/features/player/player-api.ts'
import type { RequestOptions } from '../../src/outbox/outbox-types.ts'

export const yes = { ok: true as const, data: undefined as never, headers: new Headers() }
export const no = (status: number, more: { code?: string; retryAfter?: number; detail?: string } = {}) =>
  ({ ok: false, status, code: `http_${status}`, message: 'no', ...more }) as const
export const elsewhere = no(409, { code: 'monitoring_elsewhere' })

/** A server that keeps what it was asked, in order, and answers as told. */
export function createServer() {
  const heard: { call: string; body: unknown; options?: RequestOptions | undefined }[] = []
  let respond: (call: string, body: unknown, options?: RequestOptions) => Answer<never> | Promise<Answer<never>> = () =>
    yes
  const answer = (call: string) => async (body?: unknown, options?: RequestOptions) => {
    heard.push({ call, body, options })
    return respond(call, body, options)
  }
  const api: PlayerApi = {
    send: ({ kind, body }, options) => answer(kind)(body, options),
    getSessionStatus: answer('session-status'),
    heartbeat: () => answer('heartbeat')(),
    reportUnavailable: async (playlistId, videoId, code) => answer('report-unavailable')({ playlistId, videoId, code }),
  }
  return {
    api,
    heard,
    calls: () => heard.map(each => each.call),
    answerWith(next: typeof respond) {
      respond = next
    },
  }
}

/** Timers that go off when the test says so. */
export function createTimers() {
  let waiting: { at: number; run: () => void }[] = []
  let now = 1_000_000
  return {
    now: () => now,
    schedule(ms: number, run: () => void) {
      const timer = { at: now + ms, run }
      waiting.push(timer)
      return () => {
        waiting = waiting.filter(each => each !== timer)
      }
    },
    waits: () => waiting.map(each => each.at - now).sort((a, b) => a - b),
    /** Lets time pass, timer by timer, with everything promised done in between. */
    async pass(ms: number) {
      const until = now + ms
      for (;;) {
        await settleAll()
        const [next] = waiting.filter(each => each.at <= until).sort((a, b) => a.at - b.at)
        if (!next) break
        now = next.at
        waiting = waiting.filter(each => each !== next)
        next.run()
      }
      now = until
      await settleAll()
    },
  }
}

export type Timers = ReturnType<typeof createTimers>

/** Databases and promises get their turns until nothing is left to do at once. */
export async function settleAll(): Promise<void> {
  for (let turn = 0; turn < 150; turn += 1) await new Promise<void>(resolve => setImmediate(resolve))
}
