import type { DomainEvent } from '@watchline/contracts/events'
import type { LiveStore } from '../live/live-store.ts'
import type { Logger } from '../observability/log.ts'
import type { EventBus } from './event-bus.ts'

/** Enough that publishing goes on while the next rows are read. */
const maxOwned = 1_024
const pollMs = 2_000
const maxBackOffMs = 5_000
/** While the bus is unavailable thousands of attempts fail; they are logged once in this time. */
const failureLogMs = 10_000
/** On stop, unconfirmed events are given up after this time and published after the next start. */
const stopTimeoutMs = 1_000

/** A row of the outbox: an event to publish, versions to bump, or both. */
export interface PendingEvent {
  id: string
  event?: DomainEvent | undefined
  versionKeys?: readonly string[] | undefined
}

/** The outbox as the relay needs it. */
export interface PendingEvents {
  /**
   * Claims at most `limit` of the oldest rows, without those in `except` and those claimed by
   * another relay.
   */
  claim(limit: number, except: ReadonlySet<string>): Promise<PendingEvent[]>
  markPublished(ids: string[]): Promise<void>
  /** Gives up the claims on these rows; without ids, all claims of this relay. */
  release(ids?: string[]): Promise<void>
}

export interface RelayOptions {
  pendingEvents: PendingEvents
  bus: Pick<EventBus, 'publish' | 'onPublishable'>
  live: Pick<LiveStore, 'versions'>
  log: Logger
  beforePublish?: () => Promise<void>
  onPublishAttempt?(type: string, outcome: 'confirmed' | 'failed'): void
}

export interface Relay {
  /**
   * Publishes rows that this process has just stored and claimed. Those beyond its capacity are
   * claimed later.
   */
  offer(rows: readonly PendingEvent[]): void
  stop(): Promise<void>
}

/**
 * Publishes the outbox, hundreds of events at a time and each on its own: a slow or failing event
 * holds up no other. It gets the rows of its own process at once, and polls for the rows that other
 * processes left.
 */
export function startRelay({ pendingEvents, bus, live, log, beforePublish, onPublishAttempt }: RelayOptions): Relay {
  /** Being published, waiting for a retry, or confirmed but not yet marked. */
  const owned = new Set<string>()
  const publishing = new Set<Promise<void>>()
  const retryTimers = new Map<string, NodeJS.Timeout>()
  const failures = new Map<string, number>()
  let confirmed: string[] = []
  let failed: string[] = []
  let unloggedFailures = 0
  let nextFailureLogAt = 0
  let isRunning = true
  let isWoken = false
  /** The last claim found everything; true until the next poll. */
  let isDrained = false
  let endPause: () => void = () => {}

  function wake() {
    isWoken = true
    endPause()
  }

  /** Lets the row be claimed and published again. */
  function allowRetry(id: string) {
    clearTimeout(retryTimers.get(id))
    retryTimers.delete(id)
    owned.delete(id)
  }

  // Events that failed during an outage are retried at once, and soon after another failure.
  bus.onPublishable(() => {
    for (const id of [...retryTimers.keys()]) allowRetry(id)
    failures.clear()
    isDrained = false
    if (isRunning) wake()
  })

  async function markConfirmed() {
    const ids = confirmed
    confirmed = []
    if (ids.length === 0) return
    try {
      await pendingEvents.markPublished(ids)
    } catch (error) {
      confirmed.push(...ids)
      throw error
    }
    for (const id of ids) owned.delete(id)
  }

  /** Another relay may succeed, because the bus may be unavailable to this process only. */
  async function releaseFailed() {
    const ids = failed
    failed = []
    if (ids.length > 0) await pendingEvents.release(ids)
  }

  async function publish({ id, event, versionKeys }: PendingEvent) {
    try {
      await beforePublish?.()
      // Before the event: a client that reads again because of it must not get a 304.
      if (versionKeys) await live.versions.bump(versionKeys)
      if (event) await bus.publish(event)
      if (event) onPublishAttempt?.(event.type, 'confirmed')
      confirmed.push(id)
      failures.delete(id)
      wake()
    } catch (error) {
      if (event) onPublishAttempt?.(event.type, 'failed')
      if (!isRunning) return
      const count = (failures.get(id) ?? 0) + 1
      failures.set(id, count)
      failed.push(id)
      logFailure(error, event?.type)
      retryTimers.set(id, setTimeout(() => allowRetry(id), backOffMs(count)).unref())
      wake()
    }
  }

  function logFailure(error: unknown, type: string | undefined) {
    unloggedFailures += 1
    if (Date.now() < nextFailureLogAt) return
    nextFailureLogAt = Date.now() + failureLogMs
    log.warn({ err: error, type, tries: unloggedFailures }, 'events wait in the outbox')
    unloggedFailures = 0
  }

  function publishInBackground(row: PendingEvent) {
    owned.add(row.id)
    const work = publish(row).finally(() => publishing.delete(work))
    publishing.add(work)
  }

  async function claimMore() {
    const capacity = maxOwned - owned.size
    // Claiming half the capacity at a time costs a fraction of the queries.
    if (isDrained || capacity < maxOwned / 2) return
    const rows = await pendingEvents.claim(capacity, owned)
    isDrained = rows.length < capacity
    for (const row of rows) if (!owned.has(row.id)) publishInBackground(row)
  }

  async function runRound() {
    const outcomes = await Promise.allSettled([markConfirmed(), releaseFailed(), claimMore()])
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  const finished = (async () => {
    let pollAt = 0
    while (isRunning) {
      isWoken = false
      if (Date.now() >= pollAt) {
        isDrained = false
        // Another relay may have published the rows that failed here.
        if (owned.size === 0) failures.clear()
        pollAt = Date.now() + pollMs * (0.75 + Math.random() / 2)
      }
      try {
        await runRound()
      } catch (error) {
        log.warn({ err: error }, 'outbox could not be read or updated, retrying')
        // Every confirmed event wakes the loop, so it must pause here.
        await new Promise(resolve => setTimeout(resolve, 100))
      }
      if (isWoken || !isRunning) continue
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, Math.max(0, pollAt - Date.now()))
        endPause = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      endPause = () => {}
    }
  })()

  return {
    offer: rows => {
      if (!isRunning) return
      for (const row of rows) {
        if (owned.size < maxOwned) publishInBackground(row)
        else isDrained = false
      }
    },
    stop: async () => {
      isRunning = false
      endPause()
      await finished
      let timer: NodeJS.Timeout | undefined
      const timeout = new Promise<void>(resolve => {
        timer = setTimeout(resolve, stopTimeoutMs)
      })
      await Promise.race([Promise.allSettled(publishing), timeout])
      clearTimeout(timer)
      for (const id of [...retryTimers.keys()]) allowRetry(id)
      await markConfirmed().catch(error =>
        log.warn({ err: error }, 'published events not marked; they are published again'),
      )
      await pendingEvents.release().catch(error => log.warn({ err: error }, 'outbox claims not released; they expire'))
    },
  }
}

function backOffMs(failures: number): number {
  return Math.min(maxBackOffMs, 100 * 2 ** Math.min(failures, 6)) * (0.75 + Math.random() / 2)
}
