import type { Answer } from '../api/call-operation.ts'
import { networkFailure } from '../api/failure.ts'
import { scheduleTimeout } from '../api/schedule.ts'
import { newUuid } from '../ui/new-uuid.ts'
import { createSubscribable } from '../ui/subscribable.ts'
import { createLane, type Lane } from './lane.ts'
import { mergeEntries } from './merge-entries.ts'
import type { HideLane, Outbox, OutboxEntry, OutboxOptions, OutboxRules, Problem } from './outbox-types.ts'
import { requestInTime } from './request-timeout.ts'
import { backOffMs, retryAfterMs } from './retry-policy.ts'
import { whenDone } from './when-done.ts'

/**
 * Guarantees that no entry is lost and that a lane keeps its order, in all tabs together. The cost: every
 * entry is written, read and removed once, and an entry may arrive twice, with the same id.
 */
export function createOutbox<Call, Result = unknown>(
  rules: OutboxRules<Call>,
  { request, storage, locks, ...options }: OutboxOptions<Call, Result>,
): Outbox<Call, Result> {
  type Entry = OutboxEntry<Call>
  const now = options.now ?? Date.now
  const newId = options.newId ?? newUuid
  const random = options.random ?? Math.random
  const schedule = options.schedule ?? scheduleTimeout
  const log = options.log ?? ((message, detail) => console.warn(`outbox: ${message}`, detail))
  const entries = createSubscribable<readonly Entry[]>([])
  const online = createSubscribable(options.online ?? true)
  const answerListeners = new Set<(call: Call, answer: Answer<Result>) => void>()
  const lanes = new Map<string, Lane>()
  /** Added by this tab: closing the page leaves no time to read a database. */
  const own = new Set<string>()
  const unstored = new Set<string>()
  /** A read that was under way must not bring them back. */
  const removed = new Set<string>()
  const attempted = new Set<string>()
  const underWay = new Map<string, { lane: Lane; done: Promise<unknown> }>()
  let paused = false
  let flushAfterPause = false
  let closed = false
  let lastWrite: unknown

  const fail = (message: string) => (error: unknown) => log(message, error)
  const isRefused = ({ problem }: Entry) => problem?.kind === 'refused'
  const find = (id: string) => entries.get().find(entry => entry.id === id)
  const entriesIn = (lane: string) => entries.get().filter(({ call }) => rules.laneOf(call) === lane)
  const nextIn = (lane: string) => entriesIn(lane).find(entry => !isRefused(entry))

  function laneOf(call: Call): Lane {
    const name = rules.laneOf(call)
    const found = lanes.get(name)
    if (found) return found
    const lane: Lane = createLane({
      lockName: `${rules.lockName}-${name}`,
      locks,
      schedule,
      log,
      isRunning: () => !closed && !paused,
      hasNext: () => nextIn(name) !== undefined,
      sendNext: () => lane.runAlone(() => sendNext(name, lane)),
    })
    lanes.set(name, lane)
    return lane
  }

  function setProblem(problem: Problem | undefined, concerns: (entry: Entry) => boolean): void {
    entries.set(entries.get().map(entry => (concerns(entry) ? { ...entry, problem } : entry)))
  }

  /** Without a promise where the storage answers at once. Where it cannot be read, memory has to do. */
  function reload(): void | Promise<void> {
    const stored = new Set(entries.get().flatMap(({ id }) => (unstored.has(id) ? [] : [id])))
    const isGone = ({ id }: Entry) => stored.has(id) && !underWay.has(id)
    const apply = (found: readonly Entry[]) =>
      entries.set(mergeEntries(entries.get(), found, isGone, ({ id }) => !removed.has(id)))
    return whenDone(() => storage.read(), apply, fail('storage not readable, sending from memory'))
  }

  function add(call: Call): void {
    const lane = laneOf(call)
    const id = rules.idOf?.(call) ?? newId()
    const entry: Entry = { id, at: now(), call, problem: nextIn(rules.laneOf(call))?.problem }
    const replaces = rules.replaces?.(call, earlier => own.has(earlier) && !underWay.has(earlier)) ?? (() => false)
    const isReplaced = (earlier: Entry) => !underWay.has(earlier.id) && replaces(earlier)
    const replaced = entries.get().filter(replaces)
    for (const earlier of replaced) own.delete(earlier.id)
    for (const earlier of replaced.filter(isReplaced)) removed.add(earlier.id)
    own.add(id)
    unstored.add(id)
    removed.delete(id)
    entries.set([...entries.get().filter(earlier => !isReplaced(earlier)), entry])
    const markStored = (stored: boolean) => {
      if (stored) unstored.delete(id)
    }
    lastWrite = whenDone(() => storage.add(entry, isReplaced), markStored, fail('call not stored, sending from memory'))
    if (!lane.isWaiting()) void lane.drain()
  }

  function removeEntries(gone: readonly Entry[]): void | Promise<void> {
    const ids = new Set(gone.map(({ id }) => id))
    for (const id of ids) {
      removed.add(id)
      for (const set of [own, unstored, attempted]) set.delete(id)
    }
    entries.set(entries.get().filter(({ id }) => !ids.has(id)))
    const removing = whenDone(
      () => storage.remove(gone),
      () => {},
      fail('answered call not removed, it is sent again'),
    )
    lastWrite = removing
    return removing
  }

  function send({ id, call }: Pick<Entry, 'id' | 'call'>, keepalive = false): Promise<Answer<Result>> {
    return requestInTime(signal => request(call, { id, keepalive, signal }), schedule)
  }

  async function settle(entry: Entry, answer: Answer<Result>): Promise<'done' | 'retry' | 'limit'> {
    if (answer.ok || answer.status !== 0) online.set(true)
    if (!answer.ok) {
      const decision = rules.decide(answer, attempted.has(entry.id) || !own.has(entry.id))
      attempted.add(entry.id)
      if (decision === 'retry' || decision === 'limit') {
        if (answer.status === 0) online.set(false)
        return decision
      }
      if (decision === 'keep') {
        setProblem({ kind: 'refused', failure: answer }, ({ id }) => id === entry.id)
        return 'done'
      }
      log('server refused a call, dropping it', { id: entry.id, status: answer.status, code: answer.code })
    }
    // The page was hidden while it was sent, and the repetition was refused first.
    if (!answer.ok && removed.has(entry.id)) return 'done'
    for (const listener of answerListeners) listener(entry.call, answer)
    await removeEntries([entry])
    return 'done'
  }

  async function sendNext(name: string, lane: Lane): Promise<number | undefined> {
    await reload()
    const entry = nextIn(name)
    if (!entry || paused || (closed && !rules.finishesOnClose)) return undefined
    if (entry.problem?.kind === 'limited' && entry.problem.until > now()) return entry.problem.until - now()
    if (rules.isExpired?.(entry, now())) {
      await removeEntries([entry])
      return 0
    }
    await underWay.get(entry.id)?.done
    if (!find(entry.id)) return 0
    const done = send(entry)
    underWay.set(entry.id, { lane, done })
    const answer = await done
    underWay.delete(entry.id)
    const outcome = await settle(entry, answer)
    if (answer.ok || outcome === 'done') {
      lane.failures = 0
      return 0
    }
    lane.failures += 1
    const limited = outcome === 'limit'
    const waitMs = limited ? Math.max(1_000, retryAfterMs(answer)) : backOffMs(lane.failures, answer, random())
    const waiting = new Set(entriesIn(name).filter(behind => !isRefused(behind)))
    setProblem(limited ? { kind: 'limited', until: now() + waitMs } : { kind: 'failed' }, behind => waiting.has(behind))
    return waitMs
  }

  async function sendAll(evenWaiting: boolean): Promise<void> {
    const reading = reload()
    if (reading) await reading
    const filled = new Set(entries.get().map(({ call }) => laneOf(call)))
    await Promise.all([...filled].filter(lane => evenWaiting || !lane.isWaiting()).map(lane => lane.drain()))
  }

  async function flush(): Promise<void> {
    if (paused) flushAfterPause = true
    await sendAll(true)
  }

  /** The first request begins before this returns. Entries behind one that failed wait in the storage. */
  function sendHideLane({ entries: queue, covered = [] }: HideLane<Call>): void {
    async function arrives(entry: Entry): Promise<boolean> {
      const answer = await send(entry, true)
      if ((await settle(entry, answer)) !== 'done') return false
      if (answer.ok && covered.length > 0) await removeEntries(covered)
      return true
    }
    let before: Promise<boolean> | undefined
    for (const entry of queue) {
      const arrived: Promise<boolean> = before ? before.then(on => on && arrives(entry)) : arrives(entry)
      before = arrived
      const done = arrived
        .catch(() => {})
        .finally(() => {
          if (underWay.get(entry.id)?.done === done) underWay.delete(entry.id)
        })
      underWay.set(entry.id, { lane: laneOf(entry.call), done })
    }
  }

  const stopListening = storage.onChange?.(() => void flush())
  void flush()

  return {
    entries,
    online,
    add,
    flush,
    sendFirst(call) {
      const lane = laneOf(call)
      return lane
        .runAlone(async () => {
          await Promise.allSettled([...underWay.values()].filter(sent => sent.lane === lane).map(sent => sent.done))
          await reload()
          const replaces = rules.replaces?.(call, () => false)
          if (replaces) await removeEntries(entries.get().filter(replaces))
          const answer = await send({ id: newId(), call })
          online.set(answer.ok || answer.status !== 0)
          if (answer.ok && lane.isWaiting()) void lane.drain()
          return answer
        })
        .catch(() => ({ ok: false as const, ...networkFailure }))
    },
    async read() {
      await reload()
      return entries.get()
    },
    setPaused(next) {
      if (paused === next) return
      paused = next
      if (paused) return
      void sendAll(flushAfterPause)
      flushAfterPause = false
    },
    sendOnHide() {
      const unsent = entries.get().filter(({ id }) => own.has(id))
      for (const lane of rules.hideLanes?.(unsent) ?? [{ entries: unsent }]) sendHideLane(lane)
    },
    retry(id, call) {
      const entry = find(id)
      if (!entry || underWay.has(id)) return
      const failed = new Set(entry.problem?.kind === 'failed' ? entriesIn(rules.laneOf(entry.call)) : [])
      setProblem(undefined, other => other === entry || (failed.has(other) && other.problem?.kind === 'failed'))
      if (call) entries.set(entries.get().map(other => (other.id === id ? { ...other, call } : other)))
      void laneOf(entry.call).drain()
    },
    remove(id) {
      const entry = find(id)
      if (entry) void removeEntries([entry])
    },
    onAnswered(listener) {
      answerListeners.add(listener)
      return () => answerListeners.delete(listener)
    },
    close() {
      closed = true
      stopListening?.()
      const draining = [...lanes.values()].map(lane => lane.stop())
      const sending = [...underWay.values()].map(sent => sent.done)
      void Promise.allSettled([...draining, ...sending, lastWrite]).then(() => storage.close?.())
    },
  }
}
