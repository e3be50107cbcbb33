import type { Connection } from 'mongoose'
import type { LiveStore } from '../live/live-store.ts'
import type { EventBus } from '../messaging/event-bus.ts'
import type { Metrics } from '../observability/metrics.ts'

/** Scrapes of several observers must not become pings of each. */
const freshMs = 5_000

export interface Dependencies {
  metrics: Metrics
  bus: Pick<EventBus, 'health'>
  live: Pick<LiveStore, 'ping' | 'failures'>
  connection?: Connection
}

/** Whether what a process stands on is there, as it sees it, and how often it was not. */
export function measureDependencies({ metrics, bus, live, connection }: Dependencies): void {
  let looked: { at: number; up: Promise<boolean> } | undefined
  const liveUp = () => {
    if (!looked || performance.now() - looked.at > freshMs)
      looked = {
        at: performance.now(),
        up: live.ping().then(
          () => true,
          () => false,
        ),
      }
    return looked.up
  }
  metrics.gauges(
    'watchline_dependency_up',
    'Whether what the process needs is there: 1 or 0',
    'dependency',
    async () => [
      ['event bus', bus.health() === undefined ? 1 : 0],
      ['live store', (await liveUp()) ? 1 : 0],
      ...(connection ? [['mongodb', connection.readyState === 1 ? 1 : 0] as [string, number]] : []),
    ],
  )
  metrics.total('watchline_live_store_failures_total', 'Calls of the live store that failed', () => live.failures ?? 0)
}

/**
 * The pool of MongoDB connections. Only its events are listened to: those of commands would cost each command more than they tell,
 * and MongoDB's own exporter tells it anyway. Call it once, when the connection is open.
 */
export function measurePool(metrics: Metrics): (connection: Connection) => void {
  const waits = metrics.histogram(
    'watchline_mongodb_pool_wait_seconds',
    'Time an operation waited for a connection to MongoDB',
    [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5],
  )
  const failures = metrics.counter(
    'watchline_mongodb_pool_failures_total',
    'Operations that got no connection to MongoDB, by reason',
    ['reason'],
  )
  const heartbeats = metrics.counter(
    'watchline_mongodb_heartbeat_failures_total',
    'Looks at a MongoDB server that it did not answer',
  )
  return connection => {
    connection
      .getClient()
      .on('connectionCheckedOut', ({ durationMS }) => waits.observe(durationMS / 1_000))
      .on('connectionCheckOutFailed', ({ reason }) => failures.inc({ reason }))
      .on('serverHeartbeatFailed', () => heartbeats.inc())
  }
}
