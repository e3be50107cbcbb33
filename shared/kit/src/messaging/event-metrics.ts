import type { Clock } from '../core/clock.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { EventBus } from './event-bus.ts'
import type { Outbox } from './outbox.ts'

/** Each reading costs queries, and scrapes are more frequent than relevant changes. */
const cachedMs = 5_000
const timeoutMs = 2_000

export interface EventMetricsOptions {
  metrics: Metrics
  outbox: Pick<Outbox, 'backlog'>
  bus: Pick<EventBus, 'depth'>
  clock: Clock
  /** The service's group; undefined if it has no consumers. */
  consumerGroup: string | undefined
}

/**
 * Gauges of waiting outgoing and incoming events. They have no sample while the database or the
 * broker is unavailable.
 */
export function measureEvents({ metrics, outbox, bus, clock, consumerGroup }: EventMetricsOptions): void {
  const backlog = cached(() => outbox.backlog())
  metrics.gauge(
    'watchline_outbox_waiting',
    'Events that wait in the outbox, counted up to 100000',
    async () => (await backlog()).count,
  )
  metrics.gauge('watchline_outbox_oldest_seconds', 'Age of the oldest event that waits', async () => {
    const { oldest } = await backlog()
    return oldest === undefined ? 0 : Math.max(0, clock.now() - oldest) / 1_000
  })
  if (consumerGroup === undefined) return
  const depth = cached(() => bus.depth(consumerGroup))
  metrics.gauge(
    'watchline_event_queue_waiting',
    'Events that wait for this service and no replica has taken yet',
    async () => (await depth())?.waiting,
  )
  metrics.gauge(
    'watchline_dead_letters',
    'Dead letters of this service: events it gave up (npm run events -- list)',
    async () => (await depth())?.dead,
  )
}

function cached<T>(read: () => Promise<T>): () => Promise<T> {
  let cache: { at: number; value: Promise<T> } | undefined
  return () => {
    if (!cache || performance.now() - cache.at > cachedMs) cache = { at: performance.now(), value: withTimeout(read()) }
    return cache.value
  }
}

function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), timeoutMs).unref()
  })
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}
