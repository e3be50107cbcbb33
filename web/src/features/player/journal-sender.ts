import type { Schedule } from '../../api/schedule.ts'
import type { JournalBody } from './journal-store.ts'
import type { Answer, PlayerApi, Refusal, SendOptions } from './player-api.ts'

/** A request without an answer for this long counts as none. */
const answerTimeoutMs = 30_000

export type JournalApi = Pick<PlayerApi, 'monitoring' | 'saveProgress' | 'track' | 'comment'>

/** Sends one call to the service that takes it. Whatever goes wrong is an answer, too; `keepalive` outlives the page. */
export function createSender(api: JournalApi, schedule: Schedule) {
  function dispatch(call: JournalBody, options: SendOptions): Promise<Answer> {
    switch (call.kind) {
      case 'save-progress':
        return api.saveProgress(call.body, options)
      case 'monitoring':
        return api.monitoring(call.body, options)
      case 'track':
        return api.track(call.body, options)
      case 'comment':
        return api.comment(call.body, options)
    }
  }

  return async (call: JournalBody & { id: string }, keepalive = false): Promise<Answer> => {
    const controller = new AbortController()
    let giveUp = () => {}
    const silence = new Promise<Refusal>(resolve => {
      giveUp = schedule(answerTimeoutMs, () => {
        controller.abort()
        resolve({ ok: false, status: 0 })
      })
    })
    try {
      return await Promise.race([dispatch(call, { id: call.id, keepalive, signal: controller.signal }), silence])
    } catch {
      return { ok: false, status: 0 }
    } finally {
      giveUp()
    }
  }
}
