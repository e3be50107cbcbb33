import { newUuid } from '../../../api/new-uuid.ts'
import { type Schedule, scheduleTimeout } from '../../../api/schedule.ts'

/** A window objects to a request within this time (ms). */
const answerMs = 200

type Message =
  /** Asks for the lock; `since` (ms) decides between windows that ask at the same time. */
  | { kind: 'request'; id: string; since: number }
  /** Another window has the lock, or asked for it earlier. */
  | { kind: 'objection'; to: string }
  | { kind: 'granted' }

/**
 * A stand-in for Web Locks on pages without HTTPS, where browsers lack them: windows ask each other
 * by messages. Guarantees that a window which gets the lock ends the lock of any other window.
 * Unlike with Web Locks, a window that does not answer in time loses the lock, and each request
 * takes `answerMs`. It knows the options `signal` and `steal`. Undefined without messages.
 */
export function createMessageLocks(schedule: Schedule = scheduleTimeout): Pick<LockManager, 'request'> | undefined {
  if (typeof BroadcastChannel === 'undefined') return undefined
  const request = (name: string, options: LockOptions, run: () => unknown) => requestLock(name, options, run, schedule)
  return { request: request as LockManager['request'] }
}

async function requestLock(name: string, { signal, steal }: LockOptions, run: () => unknown, schedule: Schedule) {
  const channel = new BroadcastChannel(`${name}-lock`)
  const own = { id: newUuid(), since: Date.now() }
  const loss = Promise.withResolvers<never>()
  let isHeld = false
  let isContested = false

  const post = (message: Message) => channel.postMessage(message)
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'request') {
      if (isHeld || isEarlier(own, data)) post({ kind: 'objection', to: data.id })
    } else if (data.kind === 'objection') {
      isContested ||= data.to === own.id
    } else if (isHeld) loss.reject(new DOMException('another window has the lock', 'AbortError'))
    else isContested = true
  }

  try {
    if (!steal)
      do {
        isContested = false
        post({ kind: 'request', ...own })
        await pause(signal, schedule)
      } while (isContested)
    isHeld = true
    post({ kind: 'granted' })
    return await Promise.race([run(), loss.promise])
  } finally {
    channel.close()
  }
}

interface Request {
  id: string
  since: number
}

function isEarlier(first: Request, second: Request): boolean {
  return first.since < second.since || (first.since === second.since && first.id < second.id)
}

function pause(signal: AbortSignal | undefined, schedule: Schedule): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const cancel = schedule(answerMs, resolve)
    signal?.addEventListener('abort', () => {
      cancel()
      reject(signal.reason)
    })
  })
}
