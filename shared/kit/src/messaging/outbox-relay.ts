import { setTimeout as sleep } from 'node:timers/promises'
import type { DomainEvent } from '@watchline/contracts/events'
import { createWakeup } from '../core/repeat.ts'
import type { LiveStore } from '../live/live-store.ts'
import type { Logger } from '../observability/log.ts'
import { createClaimedRows } from './claimed-rows.ts'
import type { EventBus } from './event-bus.ts'

/** Enough that publishing goes on while the next rows are read. */
const maxClaimed = 1_024
const pollMs = 2_000
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
  const claimed = createClaimedRows()
  const publishing = new Set<Promise<void>>()
  const wakeup = createWakeup()
  const logFailure = createFailureLog(log)
  let confirmed: string[] = []
  let failed: string[] = []
  let isRunning = true
  /** The last claim found everything; true until the next poll. */
  let isDrained = false

  // Events that failed during an outage are retried at once, and soon after another failure.
  bus.onPublishable(() => {
    claimed.releaseFailed()
    claimed.clearFailures()
    isDrained = false
    if (isRunning) wakeup.wake()
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
    for (const id of ids) claimed.release(id)
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
      claimed.clearFailures(id)
      wakeup.wake()
    } catch (error) {
      if (event) onPublishAttempt?.(event.type, 'failed')
      if (!isRunning) return
      failed.push(id)
      logFailure(error, event?.type)
      claimed.releaseLater(id)
      wakeup.wake()
    }
  }

  function publishInBackground(row: PendingEvent) {
    claimed.add(row.id)
    const work = publish(row).finally(() => publishing.delete(work))
    publishing.add(work)
  }

  async function claimMore() {
    const capacity = maxClaimed - claimed.ids.size
    // Claiming half the capacity at a time costs a fraction of the queries.
    if (isDrained || capacity < maxClaimed / 2) return
    const rows = await pendingEvents.claim(capacity, claimed.ids)
    isDrained = rows.length < capacity
    for (const row of rows) if (!claimed.ids.has(row.id)) publishInBackground(row)
  }

  async function runRound() {
    const outcomes = await Promise.allSettled([markConfirmed(), releaseFailed(), claimMore()])
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  const finished = (async () => {
    let pollAt = 0
    while (isRunning) {
      wakeup.reset()
      if (Date.now() >= pollAt) {
        isDrained = false
        // Another relay may have published the rows that failed here.
        if (claimed.ids.size === 0) claimed.clearFailures()
        pollAt = Date.now() + pollMs * (0.75 + Math.random() / 2)
      }
      try {
        await runRound()
      } catch (error) {
        log.warn({ err: error }, 'outbox could not be read or updated, retrying')
        // Every confirmed event wakes the loop, so it must pause here.
        await sleep(100)
      }
      if (wakeup.signal.aborted || !isRunning) continue
      // A wake ends the pause early with a rejection.
      await sleep(Math.max(0, pollAt - Date.now()), undefined, { signal: wakeup.signal }).catch(() => {})
    }
  })()

  return {
    offer: rows => {
      if (!isRunning) return
      for (const row of rows) {
        if (claimed.ids.size < maxClaimed) publishInBackground(row)
        else isDrained = false
      }
    },
    stop: async () => {
      isRunning = false
      wakeup.wake()
      await finished
      let timer: NodeJS.Timeout | undefined
      const timeout = new Promise<void>(resolve => {
        timer = setTimeout(resolve, stopTimeoutMs)
      })
      await Promise.race([Promise.allSettled(publishing), timeout])
      clearTimeout(timer)
      claimed.releaseFailed()
      await markConfirmed().catch(error =>
        log.warn({ err: error }, 'published events not marked; they are published again'),
      )
      await pendingEvents.release().catch(error => log.warn({ err: error }, 'outbox claims not released; they expire'))
    },
  }
}

/** While the bus is unavailable thousands of attempts fail; they are logged once in a while. */
function createFailureLog(log: Logger): (error: unknown, type: string | undefined) => void {
  let unlogged = 0
  let nextLogAt = 0
  return (error, type) => {
    unlogged += 1
    if (Date.now() < nextLogAt) return
    nextLogAt = Date.now() + failureLogMs
    log.warn({ err: error, type, failures: unlogged }, 'event not published, retrying')
    unlogged = 0
  }
}
