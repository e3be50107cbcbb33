import type { DomainEvent } from '@watchline/contracts/events'
import type { EventBus } from './event-bus.ts'
import type { LiveStore } from './live-store.ts'
import type { Logger } from './log.ts'

const maxInFlight = 256
const pollMs = 1_000
const maxBackOffMs = 5_000
/** At a stop, publishing under way may take this long; what was not confirmed is published at the next start. */
const farewellMs = 1_000

/** A row of the outbox: an event to publish, versions to raise, or both. */
export interface Waiting {
  id: string
  event?: DomainEvent | undefined
  raises?: readonly string[] | undefined
}

/** The outbox as the relay needs it. */
export interface WaitingEvents {
  /** The oldest that wait. */
  oldest(limit: number): Promise<Waiting[]>
  markPublished(ids: string[]): Promise<void>
}

export interface RelayOptions {
  waiting: WaitingEvents
  bus: Pick<EventBus, 'publish'>
  live: Pick<LiveStore, 'versions'>
  log: Logger
  beforePublish?: () => Promise<void>
}

export interface Relay {
  /** There is something new to publish. */
  wake(): void
  stop(): Promise<void>
}

/**
 * Publishes what waits in the outbox, many at a time and each for itself: an event that some consumer is slow with, or that cannot be
 * published just now, holds up no other. Woken by commits, and polls besides.
 */
export function startRelay({ waiting, bus, live, log, beforePublish }: RelayOptions): Relay {
  /** Under way, held back after a failure, or confirmed and not yet marked. */
  const taken = new Set<string>()
  const underWay = new Set<Promise<void>>()
  let confirmed: string[] = []
  let failuresInARow = 0
  let running = true
  let woken = false
  let wakeUp: () => void = () => {}

  function wake() {
    woken = true
    wakeUp()
  }

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

  async function publish({ id, event, raises }: Waiting) {
    try {
      await beforePublish?.()
      // Before the event: whoever it moves to ask again must not be told that nothing changed.
      if (raises) await live.versions.raise(raises)
      if (event) await bus.publish(event)
      confirmed.push(id)
      failuresInARow = 0
      wake()
    } catch (error) {
      failuresInARow += 1
      if (!running) return
      log.warn({ err: error, type: event?.type, failures: failuresInARow }, 'an event waits in the outbox')
      setTimeout(() => taken.delete(id), backOff()).unref()
    }
  }

  const backOff = () => Math.min(maxBackOffMs, 100 * 2 ** Math.min(failuresInARow, 6)) * (0.75 + Math.random() / 2)

  async function round() {
    await markConfirmed()
    if (taken.size >= maxInFlight) return
    const rows = await waiting.oldest(maxInFlight + taken.size)
    for (const row of rows) {
      if (taken.has(row.id) || taken.size >= maxInFlight) continue
      taken.add(row.id)
      const publishing = publish(row).finally(() => underWay.delete(publishing))
      underWay.add(publishing)
    }
  }

  const life = (async () => {
    while (running) {
      woken = false
      try {
        await round()
      } catch (error) {
        log.warn({ err: error }, 'the outbox could not be read')
      }
      if (woken || !running) continue
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, pollMs * (0.75 + Math.random() / 2))
        wakeUp = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      wakeUp = () => {}
    }
  })()

  return {
    wake,
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
      await markConfirmed().catch(error => log.warn({ err: error }, 'published events could not be marked'))
    },
  }
}
