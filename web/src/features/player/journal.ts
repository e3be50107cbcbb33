import { limits } from '@watchline/contracts/limits'
import {
  type JournalBody,
  type JournalStore,
  type NewCall,
  openJournalStore,
  type StoredCall,
} from './journal-store.ts'
import type { Answer, MonitoringBody, PlayerApi, ProgressBody, Refusal, SendOptions } from './player-api.ts'
import { createSubscribable, type Subscribable } from './subscribable.ts'

export interface JournalStatus {
  /** Calls of this person not yet acknowledged by the server. */
  pending: number
  online: boolean
}

/**
 * The outbox of one person in this browser. What is added is stored before it is sent, sent one at a time in order, and
 * kept until the server has answered: through reloads, offline time and closed tabs.
 */
export interface Journal {
  readonly status: Subscribable<JournalStatus>
  add(call: JournalBody): void
  /** Sends a monitoring call ahead of what waits and answers what the server said; it is never repeated by itself. */
  ask(body: MonitoringBody): Promise<Answer>
  /** Tries to send everything now; resolves when nothing is left or the first call failed. */
  flush(): Promise<void>
  /** The page may be gone in a moment: everything unsent of this tab goes out at once, outliving the page. */
  sendOnHide(): void
  /** The latest position that the server has not acknowledged yet. */
  unsentProgress(playlistId: string): Promise<ProgressBody | undefined>
  /** Called for a call refused with 409 monitoring_elsewhere. */
  onConflict(listener: (call: JournalBody) => void): () => void
  /** Sends what it can once more and lets go of the database; what is left waits for the next time. */
  close(): void
}

export interface JournalOptions {
  personId: string
  api: Pick<PlayerApi, 'monitoring' | 'saveProgress' | 'track'>
  store?: Promise<JournalStore>
  /** navigator.locks: keeps two tabs from sending the same call. Without it repeats are harmless, the calls carry ids. */
  locks?: Pick<LockManager, 'request'> | undefined
  online?: boolean
  now?: () => number
  newId?: () => string
  random?: () => number
  schedule?: (ms: number, run: () => void) => () => void
  log?: (message: string, detail: unknown) => void
}

/** A request without an answer for this long counts as none. */
const answerTimeoutMs = 30_000
const longestWaitMs = 60_000
/** Browsers allow 64 kB of keepalive bodies at once. */
const keepaliveBudget = 60_000

export function scheduleTimeout(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

export function createJournal(options: JournalOptions): Journal {
  const { personId, api, locks } = options
  const now = options.now ?? Date.now
  const newId = options.newId ?? (() => crypto.randomUUID())
  const random = options.random ?? Math.random
  const schedule = options.schedule ?? scheduleTimeout
  const log = options.log ?? ((message, detail) => console.warn(`journal: ${message}`, detail))
  const store = options.store ?? openJournalStore(log)
  const status = createSubscribable<JournalStatus>({ pending: 0, online: options.online ?? true })
  const conflictListeners = new Set<(call: JournalBody) => void>()
  /** This tab's own calls by id, from the moment they are made: closing the page leaves no time to read a database. */
  const own = new Map<string, NewCall>()
  const sending = new Map<string, Promise<unknown>>()
  let writes: Promise<unknown> = Promise.resolve()
  let counting: Promise<unknown> = Promise.resolve()
  let line: Promise<unknown> = Promise.resolve()
  let draining: Promise<void> | undefined
  let failures = 0
  let added = 0
  let seen = 0
  let closed = false
  let cancelRetry: (() => void) | undefined

  void countPending()
  void flush()

  function note(changes: Partial<JournalStatus>): void {
    const next = { ...status.get(), ...changes }
    const before = status.get()
    if (next.pending !== before.pending || next.online !== before.online) status.set(next)
  }

  /** One count after the other: a slow earlier one must not have the last word. */
  async function countPending(): Promise<void> {
    counting = counting.then(async () => note({ pending: await (await store).count(personId) })).catch(() => {})
    await counting
  }

  /** One after the other in this tab, and where the browser can, in all tabs of this person. */
  function inLine<T>(run: () => Promise<T>): Promise<T> {
    const turn = line.then(async () => {
      if (!locks) return run()
      return (await locks.request(`watchline-journal-${personId}`, run)) as T
    })
    line = turn.catch(() => {})
    return turn
  }

  async function send(call: JournalBody & { id: string }, keepalive = false): Promise<Answer> {
    const controller = new AbortController()
    const sendOptions: SendOptions = { id: call.id, keepalive, signal: controller.signal }
    let giveUp = () => {}
    const silence = new Promise<Refusal>(resolve => {
      giveUp = schedule(answerTimeoutMs, () => {
        controller.abort()
        resolve({ ok: false, status: 0 })
      })
    })
    try {
      return await Promise.race([dispatch(call, sendOptions), silence])
    } catch {
      return { ok: false, status: 0 }
    } finally {
      giveUp()
    }
  }

  function dispatch(call: JournalBody, sendOptions: SendOptions): Promise<Answer> {
    switch (call.kind) {
      case 'save-progress':
        return api.saveProgress(call.body, sendOptions)
      case 'monitoring':
        return api.monitoring(call.body, sendOptions)
      case 'track':
        return api.track(call.body, sendOptions)
    }
  }

  function add(call: JournalBody): void {
    const stored: NewCall = {
      ...call,
      id: call.kind === 'track' ? call.body.event_id : newId(),
      person: personId,
      at: now(),
    }
    for (const [id, earlier] of own) if (supersedes(call, earlier)) own.delete(id)
    own.set(stored.id, stored)
    writes = writes
      .then(async () => (await store).add(stored, earlier => !sending.has(earlier.id) && supersedes(call, earlier)))
      .then(countPending)
      .catch(error => {
        log('a call could not be stored and is sent unguarded', error)
        own.delete(stored.id)
        void send(stored)
      })
    added += 1
    if (!cancelRetry) void flush()
  }

  async function settle(call: StoredCall, answer: Answer): Promise<'sent' | 'later'> {
    if (answer.ok || answer.status !== 0) note({ online: true })
    if (!answer.ok) {
      if (mayPass(answer)) {
        if (answer.status === 0) note({ online: false })
        return 'later'
      }
      log(`the server refused a call (${answer.status}${answer.code ? ` ${answer.code}` : ''})`, call.kind)
    }
    await forget(call)
    if (isConflict(answer)) for (const listener of conflictListeners) listener(call)
    return 'sent'
  }

  async function forget(call: StoredCall): Promise<void> {
    own.delete(call.id)
    await (await store).remove([call.order])
    await countPending()
  }

  /** Sends the oldest call. Answers the wait before the next, 0 for none, undefined when nothing is left. */
  function sendOldest(): Promise<number | undefined> {
    return inLine(async () => {
      seen = added
      await writes
      const call = await (await store).oldest(personId)
      if (!call) return undefined
      if (isStale(call, now())) {
        await forget(call)
        return 0
      }
      const already = sending.get(call.id)
      if (already) {
        await already
        if (!own.has(call.id)) return 0
      }
      const request = send(call)
      sending.set(call.id, request)
      const answer = await request
      sending.delete(call.id)
      if ((await settle(call, answer)) === 'sent') {
        failures = 0
        return 0
      }
      failures += 1
      const backOff = Math.min(longestWaitMs, 1_000 * 2 ** Math.min(failures - 1, 6)) * (0.5 + random() / 2)
      return Math.max(backOff, retryAfterMs(answer))
    })
  }

  async function drain(): Promise<void> {
    for (;;) {
      const wait = await sendOldest()
      if (wait === undefined) return
      if (wait > 0) {
        if (closed) return
        cancelRetry = schedule(wait, () => {
          cancelRetry = undefined
          void flush()
        })
        return
      }
    }
  }

  function flush(): Promise<void> {
    if (closed) return Promise.resolve()
    cancelRetry?.()
    cancelRetry = undefined
    if (draining) return draining
    draining = drain()
      .catch(error => log('the journal could not be read', error))
      .finally(() => {
        draining = undefined
        // A call may have been added between the last look and here.
        if (!closed && !cancelRetry && added !== seen) void flush()
      })
    return draining
  }

  return {
    status,
    add,
    flush,
    ask(body) {
      return inLine(async () => {
        await Promise.allSettled([writes, ...sending.values()])
        const opened = await store
        const waiting = await opened.all(personId)
        const replaced = waiting.filter(call => call.kind === 'monitoring')
        await opened.remove(replaced.map(call => call.order))
        for (const call of replaced) own.delete(call.id)
        await countPending()
        const answer = await send({ kind: 'monitoring', body, id: newId() })
        note({ online: answer.ok || answer.status !== 0 })
        if (answer.ok && cancelRetry) void flush()
        return answer
      }).catch(() => ({ ok: false as const, status: 0 }))
    },
    sendOnHide() {
      let budget = keepaliveBudget
      for (const call of own.values()) {
        budget -= JSON.stringify(call.body).length
        if (budget < 0) return
        const request = send(call, true)
        const whole = request.then(async answer => {
          await writes
          const stored = (await (await store).all(personId)).find(each => each.id === call.id)
          if (stored) await settle(stored, answer)
          else own.delete(call.id)
        })
        sending.set(call.id, whole)
        void whole.catch(() => {}).finally(() => sending.delete(call.id))
      }
    },
    async unsentProgress(playlistId) {
      await writes
      const waiting = await (await store).all(personId)
      return waiting.reduce<ProgressBody | undefined>(
        (latest, call) => (call.kind === 'save-progress' && call.body.playlist_id === playlistId ? call.body : latest),
        undefined,
      )
    },
    onConflict(listener) {
      conflictListeners.add(listener)
      return () => conflictListeners.delete(listener)
    },
    close() {
      closed = true
      cancelRetry?.()
      void Promise.allSettled([writes, draining, ...sending.values()]).then(async () => (await store).close())
    },
  }
}

/** Only the latest position of a video counts, and only the latest word on monitoring. */
function supersedes(call: JournalBody, earlier: JournalBody): boolean {
  if (call.kind === 'monitoring') return earlier.kind === 'monitoring'
  if (call.kind !== 'save-progress' || earlier.kind !== 'save-progress') return false
  return call.body.playlist_id === earlier.body.playlist_id && call.body.video_id === earlier.body.video_id
}

/** The lock has run out by itself by then; giving it back so late would only take it from whoever holds it now. */
function isStale(call: StoredCall, now: number): boolean {
  return call.kind === 'monitoring' && now - call.at > limits.monitoringLockMs
}

/** Not the call's fault, or cured by signing in again: worth another try. */
function mayPass(answer: Refusal): boolean {
  return answer.status === 0 || answer.status >= 500 || [401, 408, 425, 429].includes(answer.status)
}

function isConflict(answer: Answer): boolean {
  return !answer.ok && answer.status === 409 && answer.code === 'monitoring_elsewhere'
}

export function retryAfterMs(answer: Answer): number {
  return answer.ok ? 0 : (answer.retryAfter ?? 0) * 1_000
}
