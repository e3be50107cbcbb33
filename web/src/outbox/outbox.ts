import type { Answer } from '../api/call-operation.ts'
import { networkFailure } from '../api/failure.ts'
import { newUuid } from '../api/new-uuid.ts'
import { scheduleTimeout } from '../api/schedule.ts'
import { createSubscribable } from '../ui/hooks/subscribable.ts'
import { createEntryList, isRefused } from './entry-list.ts'
import { createLane, type Lane } from './lane.ts'
import type { HideLane, Outbox, OutboxEntry, OutboxOptions, OutboxRules } from './outbox-types.ts'
import { requestInTime } from './request-timeout.ts'
import { backOffMs, retryAfterMs } from './retry-policy.ts'

/**
 * Guarantees that no entry is lost and that a lane keeps its order, in all tabs together. The cost:
 * every entry is written, read and removed once, and an entry may arrive twice, with the same id.
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
  const inFlight = new Map<string, { lane: Lane; done: Promise<unknown> }>()
  const list = createEntryList({ rules, storage, isInFlight: id => inFlight.has(id), log })
  const { entries } = list
  const online = createSubscribable(options.online ?? true)
  const answerListeners = new Set<(call: Call, answer: Answer<Result>) => void>()
  const lanes = new Map<string, Lane>()
  const attemptedIds = new Set<string>()
  let paused = false
  let flushAfterPause = false
  let closed = false

  function laneOf(call: Call): Lane {
    const name = rules.laneOf(call)
    const existing = lanes.get(name)
    if (existing) return existing
    const lane: Lane = createLane({
      lockName: `${rules.lockName}-${name}`,
      locks,
      schedule,
      log,
      isRunning: () => !closed && !paused,
      hasNext: () => list.nextIn(name) !== undefined,
      sendNext: () => lane.runAlone(() => sendNext(name, lane)),
    })
    lanes.set(name, lane)
    return lane
  }

  function removeEntries(removed: readonly Entry[]): void | Promise<void> {
    for (const { id } of removed) attemptedIds.delete(id)
    return list.remove(removed)
  }

  function send({ id, call }: Pick<Entry, 'id' | 'call'>, keepalive = false): Promise<Answer<Result>> {
    return requestInTime(signal => request(call, { id, keepalive, signal }), schedule)
  }

  async function applyAnswer(entry: Entry, answer: Answer<Result>): Promise<'done' | 'retry' | 'limit'> {
    if (answer.ok || answer.status !== 0) online.set(true)
    if (!answer.ok) {
      const decision = rules.decide(answer, attemptedIds.has(entry.id) || !list.isOwn(entry.id))
      attemptedIds.add(entry.id)
      if (decision === 'retry' || decision === 'limit') {
        if (answer.status === 0) online.set(false)
        return decision
      }
      if (decision === 'keep') {
        list.setProblem({ kind: 'refused', failure: answer }, ({ id }) => id === entry.id)
        return 'done'
      }
      log('server refused a call, dropping it', { id: entry.id, status: answer.status, code: answer.code })
    }
    // The page was hidden during the request, and the repetition was refused first.
    if (!answer.ok && list.isRemoved(entry.id)) return 'done'
    for (const listener of answerListeners) listener(entry.call, answer)
    await removeEntries([entry])
    return 'done'
  }

  async function sendNext(name: string, lane: Lane): Promise<number | undefined> {
    await list.reload()
    const entry = list.nextIn(name)
    if (!entry || paused || (closed && !rules.finishesOnClose)) return undefined
    if (entry.problem?.kind === 'limited' && entry.problem.until > now()) return entry.problem.until - now()
    if (rules.isExpired?.(entry, now())) {
      await removeEntries([entry])
      return 0
    }
    await inFlight.get(entry.id)?.done
    if (!list.find(entry.id)) return 0
    const done = send(entry)
    inFlight.set(entry.id, { lane, done })
    const answer = await done
    inFlight.delete(entry.id)
    const outcome = await applyAnswer(entry, answer)
    if (answer.ok || outcome === 'done') {
      lane.failures = 0
      return 0
    }
    lane.failures += 1
    const isLimited = outcome === 'limit'
    const waitMs = isLimited ? Math.max(1_000, retryAfterMs(answer)) : backOffMs(lane.failures, answer, random())
    const waiting = new Set(list.inLane(name).filter(waitingEntry => !isRefused(waitingEntry)))
    list.setProblem(isLimited ? { kind: 'limited', until: now() + waitMs } : { kind: 'failed' }, laneEntry =>
      waiting.has(laneEntry),
    )
    return waitMs
  }

  async function sendAll(evenWaiting: boolean): Promise<void> {
    const reading = list.reload()
    if (reading) await reading
    const filled = new Set(entries.get().map(({ call }) => laneOf(call)))
    await Promise.all([...filled].filter(lane => evenWaiting || !lane.isWaiting()).map(lane => lane.drain()))
  }

  async function flush(): Promise<void> {
    if (paused) flushAfterPause = true
    await sendAll(true)
  }

  /**
   * The first request begins before this returns. Entries behind a failed one stay in the storage.
   */
  function sendHideLane({ entries: queue, covered = [] }: HideLane<Call>): void {
    async function sendKeepalive(entry: Entry): Promise<boolean> {
      const answer = await send(entry, true)
      if ((await applyAnswer(entry, answer)) !== 'done') return false
      if (answer.ok && covered.length > 0) await removeEntries(covered)
      return true
    }
    let previous: Promise<boolean> | undefined
    for (const entry of queue) {
      const arrived: Promise<boolean> = previous
        ? previous.then(hasArrived => hasArrived && sendKeepalive(entry))
        : sendKeepalive(entry)
      previous = arrived
      const done = arrived
        .catch(() => {})
        .finally(() => {
          if (inFlight.get(entry.id)?.done === done) inFlight.delete(entry.id)
        })
      inFlight.set(entry.id, { lane: laneOf(entry.call), done })
    }
  }

  const stopListening = storage.onChange?.(() => void flush())
  void flush()

  return {
    entries,
    online,
    flush,
    add(call) {
      const lane = laneOf(call)
      const id = rules.idOf?.(call) ?? newId()
      list.add({ id, at: now(), call, problem: list.nextIn(rules.laneOf(call))?.problem })
      if (!lane.isWaiting()) void lane.drain()
    },
    sendFirst(call) {
      const lane = laneOf(call)
      return lane
        .runAlone(async () => {
          const sending = [...inFlight.values()].filter(sent => sent.lane === lane)
          await Promise.allSettled(sending.map(sent => sent.done))
          await list.reload()
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
      await list.reload()
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
      const unsent = entries.get().filter(({ id }) => list.isOwn(id))
      for (const lane of rules.hideLanes?.(unsent) ?? [{ entries: unsent }]) sendHideLane(lane)
    },
    retry(id, call) {
      const entry = list.find(id)
      if (!entry || inFlight.has(id)) return
      const failed = new Set(entry.problem?.kind === 'failed' ? list.inLane(rules.laneOf(entry.call)) : [])
      list.setProblem(
        undefined,
        candidate => candidate === entry || (failed.has(candidate) && candidate.problem?.kind === 'failed'),
      )
      if (call) list.setCall(id, call)
      void laneOf(entry.call).drain()
    },
    remove(id) {
      const entry = list.find(id)
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
      const sending = [...inFlight.values()].map(sent => sent.done)
      void Promise.allSettled([...draining, ...sending, list.lastWrite()]).then(() => storage.close?.())
    },
  }
}
