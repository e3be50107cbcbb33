import type { DomainEvent } from '@watchline/contracts/events'
import type { LiveStore } from '../live/live-store.ts'
import type { Logger } from '../observability/log.ts'
import type { EventBus } from './event-bus.ts'

/** Taken at once: what is being published, and enough besides that publishing goes on while the next are fetched. */
const maxTaken = 1_024
const pollMs = 1_000
const maxBackOffMs = 5_000
/** While the bus is away thousands of tries fail; one line in so long says so. */
const complainMs = 10_000
/** At a stop, publishing under way may take this long; what was not confirmed is published at the next start. */
const farewellMs = 1_000

/** A row of the outbox: an event to publish, versions to raise, or both. */
export interface PendingEvent {
  id: string
  event?: DomainEvent | undefined
  raises?: readonly string[] | undefined
}

/** The outbox as the relay needs it. */
export interface PendingEvents {
  /** At most `limit` of the oldest that wait, none of `except`, and none that another relay has claimed and may still publish. */
  claim(limit: number, except: ReadonlySet<string>): Promise<PendingEvent[]>
  markPublished(ids: string[]): Promise<void>
  /** Leaves these, or all that was claimed and not published, to the others. */
  release(ids?: string[]): Promise<void>
}

export interface RelayOptions {
  waiting: PendingEvents
  bus: Pick<EventBus, 'publish' | 'onPublishable'>
  live: Pick<LiveStore, 'versions'>
  log: Logger
  beforePublish?: () => Promise<void>
  /** Told of each try. */
  onTry?(type: string, outcome: 'confirmed' | 'failed'): void
}

export interface Relay {
  /** Publishes what was just stored, claimed for this relay, without looking it up; what there is no room for now is claimed later. */
  offer(rows: readonly PendingEvent[]): void
  stop(): Promise<void>
}

/**
 * Publishes what waits in the outbox, hundreds at a time and each for itself: an event that some consumer is slow with, or that cannot
 * be published just now, holds up no other. Given what its own process commits, and polls for what others have left behind.
 */
export function startRelay({ waiting, bus, live, log, beforePublish, onTry }: RelayOptions): Relay {
  /** Under way, held back after a failure, or confirmed and not yet marked. */
  const taken = new Set<string>()
  const underWay = new Set<Promise<void>>()
  const heldBack = new Map<string, NodeJS.Timeout>()
  const failures = new Map<string, number>()
  let confirmed: string[] = []
  let failed: string[] = []
  let unsaid = 0
  let quietUntil = 0
  let running = true
  let woken = false
  /** Nothing says that more waits, until the next poll. */
  let idle = false
  let wakeUp: () => void = () => {}

  function wake() {
    woken = true
    wakeUp()
  }

  function releaseHeldEvent(id: string) {
    clearTimeout(heldBack.get(id))
    heldBack.delete(id)
    taken.delete(id)
  }

  // Events that failed while the bus was away are retried at once, and after another failure soon.
  bus.onPublishable(() => {
    for (const id of [...heldBack.keys()]) releaseHeldEvent(id)
    failures.clear()
    idle = false
    if (running) wake()
  })

  async function markConfirmed() {
    const ids = confirmed
    confirmed = []
    if (ids.length === 0) return
    try {
      await waiting.markPublished(ids)
    } catch (error) {
      confirmed.push(...ids)
      throw error
    }
    for (const id of ids) taken.delete(id)
  }

  /** The bus may be away for this process only. */
  async function leaveFailed() {
    const ids = failed
    failed = []
    if (ids.length > 0) await waiting.release(ids)
  }

  async function publish({ id, event, raises }: PendingEvent) {
    try {
      await beforePublish?.()
      // Before the event: whoever it moves to ask again must not be told that nothing changed.
      if (raises) await live.versions.bump(raises)
      if (event) await bus.publish(event)
      if (event) onTry?.(event.type, 'confirmed')
      confirmed.push(id)
      failures.delete(id)
      wake()
    } catch (error) {
      if (event) onTry?.(event.type, 'failed')
      if (!running) return
      const times = (failures.get(id) ?? 0) + 1
      failures.set(id, times)
      failed.push(id)
      complain(error, event?.type)
      heldBack.set(id, setTimeout(() => releaseHeldEvent(id), backOff(times)).unref())
      wake()
    }
  }

  function complain(error: unknown, type: string | undefined) {
    unsaid += 1
    if (Date.now() < quietUntil) return
    quietUntil = Date.now() + complainMs
    log.warn({ err: error, type, tries: unsaid }, 'events wait in the outbox')
    unsaid = 0
  }

  const backOff = (times: number) => Math.min(maxBackOffMs, 100 * 2 ** Math.min(times, 6)) * (0.75 + Math.random() / 2)

  function take(row: PendingEvent) {
    taken.add(row.id)
    const publishing = publish(row).finally(() => underWay.delete(publishing))
    underWay.add(publishing)
  }

  async function claimMore() {
    const room = maxTaken - taken.size
    // Not for every place that gets free: half of them at a time costs a fraction of the queries.
    if (idle || room < maxTaken / 2) return
    const rows = await waiting.claim(room, taken)
    idle = rows.length < room
    for (const row of rows) if (!taken.has(row.id)) take(row)
  }

  async function round() {
    const outcomes = await Promise.allSettled([markConfirmed(), leaveFailed(), claimMore()])
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  const life = (async () => {
    let lookAt = 0
    while (running) {
      woken = false
      if (Date.now() >= lookAt) {
        idle = false
        // Forgotten where another relay has published it meanwhile.
        if (taken.size === 0) failures.clear()
        lookAt = Date.now() + pollMs * (0.75 + Math.random() / 2)
      }
      try {
        await round()
      } catch (error) {
        log.warn({ err: error }, 'the outbox could not be read')
        // Not at once again: a wake may come with every event that is confirmed.
        await new Promise(resolve => setTimeout(resolve, 100))
      }
      if (woken || !running) continue
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, Math.max(0, lookAt - Date.now()))
        wakeUp = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      wakeUp = () => {}
    }
  })()

  return {
    offer: rows => {
      if (!running) return
      for (const row of rows) {
        if (taken.size < maxTaken) take(row)
        else idle = false
      }
    },
    stop: async () => {
      running = false
      wakeUp()
      await life
      let timer: NodeJS.Timeout | undefined
      const patience = new Promise<void>(resolve => {
        timer = setTimeout(resolve, farewellMs)
      })
      await Promise.race([Promise.allSettled(underWay), patience])
      clearTimeout(timer)
      for (const id of [...heldBack.keys()]) releaseHeldEvent(id)
      await markConfirmed().catch(error => log.warn({ err: error }, 'published events could not be marked'))
      await waiting.release().catch(error => log.warn({ err: error }, 'waiting events could not be left to others'))
    },
  }
}
