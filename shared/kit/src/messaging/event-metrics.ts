import type { Clock } from '../core/clock.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { EventBus } from './event-bus.ts'
import type { Outbox } from './outbox.ts'

/** Scrapes come more often than these change enough to matter, and each look costs queries. */
const freshMs = 5_000
const patienceMs = 2_000

export interface EventMetricsOptions {
  metrics: Metrics
  outbox: Pick<Outbox, 'backlog'>
  bus: Pick<EventBus, 'depth'>
  clock: Clock
  /** The service's group; undefined where it consumes nothing. */
  group: string | undefined
}

/** Gauges of what waits on its way out and in. While the database or the broker is away theirs have no sample. */
export function measureEvents({ metrics, outbox, bus, clock, group }: EventMetricsOptions): void {
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
  if (group === undefined) return
  const depth = cached(() => bus.depth(group))
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
  let known: { at: number; value: Promise<T> } | undefined
  return () => {
    if (!known || performance.now() - known.at > freshMs) known = { at: performance.now(), value: inTime(read()) }
    return known.value
  }
}

function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), patienceMs).unref()
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
