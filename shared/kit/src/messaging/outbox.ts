import { randomUUID } from 'node:crypto'
import type { DomainEvent, EventData, EventType } from '@watchline/contracts/events'
import type { ClientSession, Connection } from 'mongoose'
import type { Clock } from '../core/clock.ts'
import type { LiveStore } from '../live/live-store.ts'
import { inTransaction } from '../mongo/database.ts'
import { currentTrace, type Logger } from '../observability/log.ts'
import { inSpan, type Tracer } from '../observability/tracing.ts'
import type { EventBus } from './event-bus.ts'
import { type PendingEvent, type Relay, type RelayOptions, startRelay } from './outbox-relay.ts'
import { createOutboxStore } from './outbox-store.ts'
import { withPublishSpans } from './traced-bus.ts'

/** A transaction that writes state and the events about it together. */
export interface Transaction {
  session: ClientSession
  /** The event is stored with the transaction and published after it, at least once. */
  publish<T extends EventType>(type: T, subject: string, data: EventData<T>): void
  /**
   * Bumps the versions of these keys after the commit, before `transaction` resolves. If the live
   * store is unavailable or the process dies, the relay does it later.
   */
  bumpVersions(...keys: string[]): void
  /** Called in this process after the commit; never if the process dies first. */
  afterCommit(callback: () => void): void
}

export interface Outbox {
  /**
   * Runs `work` in a MongoDB transaction together with the events it publishes. It may run more
   * than once.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** The number of waiting events, counted up to 100,000, and the time of the oldest in ms. */
  backlog(): Promise<{ count: number; oldest: number | undefined }>
  startRelay(bus: EventBus): void
  stopRelay(): Promise<void>
}

export interface OutboxOptions {
  connection: Connection
  source: string
  live: LiveStore
  clock: Clock
  log: Logger
  tracer?: Tracer | undefined
  onPublishAttempt?: RelayOptions['onPublishAttempt']
  /** Lets tests stop between commit and publishing. */
  beforePublish?: () => Promise<void>
}

/**
 * The transactional outbox: the transaction that changes state stores the events about it as rows.
 * A relay publishes them and marks what the bus confirmed. Every replica relays its own events
 * first, then those without a valid claim. Claims expire, so an event may be published twice, and
 * consumers drop repeats (docs/decisions/0012-events-for-good.md). Source: the transactional outbox
 * pattern, microservices.io/patterns/data/transactional-outbox.html.
 */
export function createOutbox({
  connection,
  source,
  live,
  clock,
  log,
  tracer,
  onPublishAttempt,
  beforePublish,
}: OutboxOptions): Outbox {
  const store = createOutboxStore(connection, clock)
  let relay: Relay | undefined

  async function transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    let pending: readonly PendingEvent[] = []
    let versionKeys: readonly string[] = []
    let callbacks: readonly (() => void)[] = []
    const result = await inTransaction(connection, async session => {
      // MongoDB may run this function again, so nothing outside changes before the end.
      const events: DomainEvent[] = []
      const keys = new Set<string>()
      const afterCommit: (() => void)[] = []
      const value = await work({
        session,
        publish: (type, subject, data) => void events.push(makeEvent(type, subject, data)),
        bumpVersions: (...bumped) => {
          for (const key of bumped) keys.add(key)
        },
        afterCommit: callback => void afterCommit.push(callback),
      })
      callbacks = afterCommit
      versionKeys = [...keys]
      pending = await store.insert(events, versionKeys, session)
      return value
    })
    // Bump now, so that the caller reads its own write; the relay bumps again if this fails.
    if (versionKeys.length > 0) await live.versions.bump(versionKeys).catch(() => {})
    if (pending.length > 0) relay?.offer(pending)
    for (const callback of callbacks) callback()
    return result
  }

  function makeEvent<T extends EventType>(type: T, subject: string, data: EventData<T>): DomainEvent {
    const time = new Date(clock.now()).toISOString()
    const event: DomainEvent = { specversion: '1.0', id: randomUUID(), source, type, subject, time, data }
    const traceparent = currentTrace.getStore()?.traceparent
    return traceparent ? { ...event, traceparent } : event
  }

  return {
    transaction: work => inSpan(tracer, 'transaction', { kind: 'internal' }, () => transaction(work)),
    backlog: store.backlog,
    startRelay: bus => {
      relay = startRelay({
        bus: tracer ? withPublishSpans(bus, tracer) : bus,
        live,
        log,
        onPublishAttempt,
        beforePublish,
        pendingEvents: store,
      })
    },
    stopRelay: async () => {
      await relay?.stop()
      relay = undefined
    },
  }
}
