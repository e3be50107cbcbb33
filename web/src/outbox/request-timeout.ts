import type { Answer } from '../api/call-operation.ts'
import { networkFailure, timeoutFailure } from '../api/failure.ts'
import type { Schedule } from '../api/schedule.ts'

export const answerTimeoutMs = 30_000

/** Aborts a request that is not answered in time. Never throws: an error becomes an answer. */
export async function requestInTime<T>(
  request: (signal: AbortSignal) => Promise<Answer<T>>,
  schedule: Schedule,
): Promise<Answer<T>> {
  const controller = new AbortController()
  let cancelTimeout = () => {}
  const timeout = new Promise<Answer<T>>(resolve => {
    cancelTimeout = schedule(answerTimeoutMs, () => {
      controller.abort()
      resolve({ ok: false, ...timeoutFailure(answerTimeoutMs) })
    })
  })
  try {
    return await Promise.race([request(controller.signal), timeout])
  } catch {
    return { ok: false, ...networkFailure }
  } finally {
    cancelTimeout()
  }
}
