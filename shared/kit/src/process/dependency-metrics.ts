import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Connection } from 'mongoose'
import type { LiveStore } from '../live/live-store.ts'
import type { EventBus } from '../messaging/event-bus.ts'
import type { Metrics } from '../observability/metrics.ts'

/** Several scrapers must not cause a ping each. */
const cachedMs = 5_000

export interface Dependencies {
  metrics: Metrics
  bus: Pick<EventBus, 'health'>
  live: Pick<LiveStore, 'ping' | 'failures'>
  connection?: Connection
}

/** Measures whether the servers are available to this process, and how often they were not. */
export function measureDependencies({ metrics, bus, live, connection }: Dependencies): void {
  let lastPing: { at: number; isUp: Promise<boolean> } | undefined
  const isLiveStoreUp = () => {
    if (!lastPing || performance.now() - lastPing.at > cachedMs)
      lastPing = {
        at: performance.now(),
        isUp: live.ping().then(
          () => true,
          () => false,
        ),
      }
    return lastPing.isUp
  }
  metrics.gauges(
    'watchline_dependency_up',
    'Whether a server that the process needs is available: 1 or 0',
    'dependency',
    async () => [
      ['event bus', bus.health() === undefined ? 1 : 0],
      ['live store', (await isLiveStoreUp()) ? 1 : 0],
      ...(connection ? [['mongodb', connection.readyState === 1 ? 1 : 0] as [string, number]] : []),
    ],
  )
  metrics.total('watchline_live_store_failures_total', 'Calls of the live store that failed', () => live.failures ?? 0)
}

/** Measures when the certificate of this process expires, so that somebody renews it in time. */
export function measureCertificate(metrics: Metrics, certFile: string | undefined): void {
  metrics.gauge(
    'watchline_certificate_expiry_timestamp_seconds',
    'When the certificate of TLS_CERT_FILE expires',
    async () =>
      certFile === undefined ? undefined : Date.parse(new X509Certificate(await readFile(certFile)).validTo) / 1_000,
  )
}

/**
 * Measures the pool of MongoDB connections by its events. Command events would slow down every
 * command, and MongoDB's own exporter has the same figures. Call the result once, with the open
 * connection.
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
    'Failed heartbeats of MongoDB servers',
  )
  return connection => {
    connection
      .getClient()
      .on('connectionCheckedOut', ({ durationMS }) => waits.observe(durationMS / 1_000))
      .on('connectionCheckOutFailed', ({ reason }) => failures.inc({ reason }))
      .on('serverHeartbeatFailed', () => heartbeats.inc())
  }
}
