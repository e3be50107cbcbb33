import { type Schedule, scheduleTimeout } from '../../api/schedule.ts'
import { newUuid } from '../../ui/new-uuid.ts'
import { createSubscribable, type Subscribable } from '../../ui/subscribable.ts'
import {
  idOf,
  isConflict,
  isPlayed,
  isStale,
  mayPass,
  type Reported,
  retryAfterMs,
  samePlay,
  saysPlaceOf,
  supersedes,
} from './journal-rules.ts'
import { createSender, type JournalApi } from './journal-sender.ts'
import { type JournalBody, type JournalStore, type NewCall, openJournalStore } from './journal-store.ts'
import type { Answer, MonitoringBody, ProgressBody, Refusal, TrackBody } from './player-api.ts'

export interface JournalStatus {
  /** Calls of this person not yet acknowledged by the server. */
  pending: number
  online: boolean
}

/**
 * The outbox of one person in this browser. What is added is stored before it is sent, sent one at a time in order (for
 * each service that takes it), and kept until the server has answered: through reloads, offline time and closed tabs.
 */
export interface Journal {
  readonly status: Subscribable<JournalStatus>
  /** The calls not yet acknowledged, oldest first, also those of earlier visits. */
  readonly waiting: Subscribable<readonly NewCall[]>
  add(call: JournalBody): void
  /** Sends a monitoring call ahead of what waits and answers what the server said; it is never repeated by itself. */
  ask(body: MonitoringBody): Promise<Answer>
  /** Tries to send everything now; resolves when nothing is left or a call failed. */
  flush(): Promise<void>
  /** As long as the lock is not answered nothing is sent but `ask`: without the lock it would earn nothing. */
  hold(on: boolean): void
  /**
   * The page may be gone in a moment: what is unsent of this tab goes out, outliving the page, reports one after the other
   * in their order, and at once what gives the lock back.
   */
  sendOnHide(): void
  /** The latest position that the server has not acknowledged yet. */
  unsentProgress(playlistId: string): Promise<ProgressBody | undefined>
  /** Called for a call refused with 409 monitoring_elsewhere. */
  onConflict(listener: (call: JournalBody) => void): () => void
  /** Called when the server has answered a call for good: took it, or refused it, and then it is forgotten. */
  onAnswered(listener: (call: NewCall, answer: Answer) => void): () => void
  /** Sends what it can once more and lets go of the database; what is left waits for the next time. */
  close(): void
}

export interface JournalOptions {
  personId: string
  api: JournalApi
  store?: Promise<JournalStore>
  /** navigator.locks: keeps two tabs from sending the same call. Without it repeats are harmless, the calls carry ids. */
  locks?: Pick<LockManager, 'request'> | undefined
  online?: boolean
  /** Whether a failed call is tried again by itself. `before`: it was, at least once, or comes from an earlier visit. */
  tryAgain?: (call: NewCall, answer: Refusal, before: boolean) => boolean
  now?: () => number
  newId?: () => string
  random?: () => number
  schedule?: Schedule
  log?: (message: string, detail: unknown) => void
}

const longestWaitMs = 60_000
export function createJournal(options: JournalOptions): Journal {
  const { personId, api, locks } = options
  const now = options.now ?? Date.now
  const newId = options.newId ?? newUuid
  const random = options.random ?? Math.random
  const schedule = options.schedule ?? scheduleTimeout
  const tryAgain = options.tryAgain ?? ((_call, answer) => mayPass(answer))
  const log = options.log ?? ((message, detail) => console.warn(`journal: ${message}`, detail))
  const store = options.store ?? openJournalStore(log)
  const send = createSender(api, schedule)
  const status = createSubscribable<JournalStatus>({ pending: 0, online: options.online ?? true })
  const waiting = createSubscribable<readonly NewCall[]>([])
  const conflictListeners = new Set<(call: JournalBody) => void>()
  const answerListeners = new Set<(call: NewCall, answer: Answer) => void>()
  /** This tab's own calls by id, from the moment they are made: closing the page leaves no time to read a database. */
  const own = new Map<string, NewCall>()
  const sending = new Map<string, Promise<unknown>>()
  /** Calls that were tried and failed. */
  const tried = new Set<string>()
  /** The latest report of this tab, which an unbroken play may reach beyond. */
  let latest: Reported | undefined
  let held = false
  let writes: Promise<unknown> = Promise.resolve()
  let counting: Promise<unknown> = Promise.resolve()
  /** Playback and engagement each have a line of their own: a service that is away keeps only its own calls waiting. */
  const session = createLine('session', ['save-progress', 'monitoring'])
  const reports = createLine('reports', ['track', 'comment'])
  const lines = [session, reports]
  let closed = false
  let flushWanted = false

  void countPending()
  void flush()

  function note(changes: Partial<JournalStatus>): void {
    const next = { ...status.get(), ...changes }
    const before = status.get()
    if (next.pending !== before.pending || next.online !== before.online) status.set(next)
  }

  /** One count after the other: a slow earlier one must not have the last word. */
  async function countPending(): Promise<void> {
    counting = counting
      .then(async () => {
        const calls = await (await store).all(personId)
        if (calls.length > 0 || waiting.get().length > 0) waiting.set(calls)
        note({ pending: calls.length })
      })
      .catch(() => {})
    await counting
  }

  /** One after the other in this tab, and where the browser can, in all tabs of this person. */
  function inLine<T>(line: Line, run: () => Promise<T>): Promise<T> {
    const turn = line.last.then(async () => {
      if (!locks) return run()
      return (await locks.request(`watchline-journal-${personId}-${line.name}`, run)) as T
    })
    line.last = turn.catch(() => {})
    return turn
  }

  function add(call: JournalBody): void {
    const stored: NewCall = { ...call, id: idOf(call) ?? newId(), person: personId, at: now() }
    const merged = call.kind === 'track' ? mergeable(call.body) : undefined
    const replaces = (earlier: NewCall) => supersedes(call, earlier) || earlier.id === merged
    for (const [id, earlier] of own) if (replaces(earlier)) own.delete(id)
    own.set(stored.id, stored)
    writes = writes
      .then(async () => (await store).add(stored, earlier => !sending.has(earlier.id) && replaces(earlier)))
      .then(countPending)
      .catch(error => {
        log('a call could not be stored and is sent unguarded', error)
        own.delete(stored.id)
        void send(stored)
      })
    const line = lines.find(each => each.takes(stored))!
    line.added += 1
    if (!line.cancelRetry) void flushLine(line)
  }

  /**
   * The unsent 'playing' that this report of the same play makes superfluous: what it says, the way up to here says, too. Only
   * if the server will believe the longer way as it would have believed the two.
   */
  function mergeable(body: TrackBody): string | undefined {
    const here: Reported = { body, at: Date.parse(body.client_time), from: undefined }
    const before = latest
    const { event_type: type } = body
    latest = type === 'play' || type === 'playing' ? here : undefined
    if (!before || type === 'play' || type === 'playlist_completed' || !samePlay(before.body, body)) return undefined
    here.from = { ...before, from: undefined }
    if (before.body.event_type !== 'playing' || !before.from) return undefined
    if (!own.has(before.body.event_id) || sending.has(before.body.event_id)) return undefined
    if (!isPlayed(before, here) || !isPlayed(before.from, here)) return undefined
    here.from = before.from
    return before.body.event_id
  }

  async function settle(call: NewCall & { order?: number }, answer: Answer): Promise<'sent' | 'later'> {
    if (answer.ok || answer.status !== 0) note({ online: true })
    if (!answer.ok) {
      const before = tried.has(call.id) || !own.has(call.id)
      tried.add(call.id)
      if (tryAgain(call, answer, before)) {
        if (answer.status === 0) note({ online: false })
        return 'later'
      }
      log(`the server refused a call (${answer.status}${answer.code ? ` ${answer.code}` : ''})`, call.kind)
    }
    tried.delete(call.id)
    for (const listener of answerListeners) listener(call, answer)
    await forget(call)
    if (isConflict(answer)) for (const listener of conflictListeners) listener(call)
    return 'sent'
  }

  async function forget(...calls: readonly (NewCall & { order?: number })[]): Promise<void> {
    const ids = calls.map(({ id }) => id)
    for (const id of ids) own.delete(id)
    await writes
    const opened = await store
    const stored = calls.every(({ order }) => order) ? calls : await opened.all(personId)
    await opened.remove(stored.filter(({ id }) => ids.includes(id)).map(({ order }) => order!))
    await countPending()
  }

  /** Sends the oldest call. Answers the wait before the next, 0 for none, undefined when nothing is left. */
  function sendOldest(line: Line): Promise<number | undefined> {
    return inLine(line, async () => {
      if (held) return undefined
      line.seen = line.added
      await writes
      const call = await (await store).oldest(personId, line.takes)
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
        line.failures = 0
        return 0
      }
      line.failures += 1
      const backOff = Math.min(longestWaitMs, 1_000 * 2 ** Math.min(line.failures - 1, 6)) * (0.5 + random() / 2)
      return Math.max(backOff, retryAfterMs(answer))
    })
  }

  async function drain(line: Line): Promise<void> {
    for (;;) {
      const wait = await sendOldest(line)
      if (wait === undefined) return
      if (wait > 0) {
        if (closed) return
        line.cancelRetry = schedule(wait, () => {
          line.cancelRetry = undefined
          void flushLine(line)
        })
        return
      }
    }
  }

  function flushLine(line: Line): Promise<void> {
    if (closed || held) return Promise.resolve()
    line.cancelRetry?.()
    line.cancelRetry = undefined
    if (line.draining) return line.draining
    line.draining = drain(line)
      .catch(error => log('the journal could not be read', error))
      .finally(() => {
        line.draining = undefined
        // A call may have been added between the last look and here.
        if (!closed && !held && !line.cancelRetry && line.added !== line.seen) void flushLine(line)
      })
    return line.draining
  }

  async function flush(): Promise<void> {
    if (held) flushWanted = true
    await Promise.all(lines.map(flushLine))
  }

  /** One after the other; the first before this returns. What follows a call that failed waits in the store. */
  function sendLane(calls: readonly NewCall[], covered: readonly NewCall[] = []): void {
    let before: Promise<boolean> | undefined
    for (const call of calls) {
      const goes: Promise<boolean> = before ? before.then(on => on && arrives(call)) : arrives(call)
      before = goes
      const whole = goes.finally(() => {
        if (sending.get(call.id) === whole) sending.delete(call.id)
      })
      sending.set(call.id, whole)
      void whole.catch(() => {})
    }

    async function arrives(call: NewCall): Promise<boolean> {
      const answer = await send(call, true)
      if ((await settle(call, answer)) === 'later') return false
      if (answer.ok && covered.length > 0) await forget(...covered)
      return true
    }
  }

  return {
    status,
    waiting,
    add,
    flush,
    ask(body) {
      return inLine(session, async () => {
        const under = [...sending].filter(([id]) => !own.has(id) || session.takes(own.get(id)!))
        await Promise.allSettled([writes, ...under.map(([, request]) => request)])
        const opened = await store
        const waiting = await opened.all(personId)
        const replaced = waiting.filter(call => call.kind === 'monitoring')
        await opened.remove(replaced.map(call => call.order))
        for (const call of replaced) own.delete(call.id)
        await countPending()
        const answer = await send({ kind: 'monitoring', body, id: newId() })
        note({ online: answer.ok || answer.status !== 0 })
        if (answer.ok && session.cancelRetry) void flushLine(session)
        return answer
      }).catch(() => ({ ok: false as const, status: 0 }))
    },
    hold(on) {
      if (held === on) return
      held = on
      if (on) return
      for (const line of lines) if (flushWanted || !line.cancelRetry) void flushLine(line)
      flushWanted = false
    },
    sendOnHide() {
      const calls = [...own.values()]
      const release = calls.findLast(call => call.kind === 'monitoring')
      // The release says where the video stands, too; saving it first would keep the lock if the page went in between.
      const covered = calls.filter(call => release && saysPlaceOf(release, call))
      const lane = (...kinds: JournalBody['kind'][]) => calls.filter(call => kinds.includes(call.kind))
      sendLane(lane('track'))
      sendLane(lane('comment'))
      sendLane(lane('save-progress').filter(call => !covered.includes(call)))
      if (release) sendLane([release], covered)
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
    onAnswered(listener) {
      answerListeners.add(listener)
      return () => answerListeners.delete(listener)
    },
    close() {
      closed = true
      for (const line of lines) line.cancelRetry?.()
      const draining = lines.map(line => line.draining)
      void Promise.allSettled([writes, ...draining, ...sending.values()]).then(async () => (await store).close())
    },
  }
}

/** Calls that are sent one after the other. */
interface Line {
  readonly name: string
  takes(call: NewCall): boolean
  last: Promise<unknown>
  draining: Promise<void> | undefined
  cancelRetry: (() => void) | undefined
  failures: number
  /** How many were added, and how many of them the latest look at the store saw. */
  added: number
  seen: number
}

function createLine(name: string, kinds: readonly JournalBody['kind'][]): Line {
  return {
    name,
    takes: call => kinds.includes(call.kind),
    last: Promise.resolve(),
    draining: undefined,
    cancelRetry: undefined,
    failures: 0,
    added: 0,
    seen: 0,
  }
}
