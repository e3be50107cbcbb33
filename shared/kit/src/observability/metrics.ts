import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { version } from '../core/version.ts'

export type Samples = Iterable<[value: string, sample: number]>

/** Where a group commit reports its measurements. */
export interface CommitMetrics {
  /** Registers the function that counts the waiting items. */
  observeWaiting(readWaiting: () => number): void
  countRefused(): void
  /** A batch of `size` items took `seconds`, successful or not. */
  recordBatch(size: number, seconds: number): void
}

/**
 * Prometheus metrics of one service. Each service has its own registry, because several may share a
 * process.
 */
export interface Metrics {
  registry: Registry
  requests: Histogram<'operation' | 'status'>
  events: Counter<'type' | 'outcome'>
  published: Counter<'type' | 'outcome'>
  retries: Counter<'type'>
  /** The metrics of the group commit with this name. */
  commit(name: string): CommitMetrics
  /** Read at every scrape; no sample if `read` returns undefined or rejects. */
  gauge(name: string, help: string, read: () => number | undefined | Promise<number | undefined>): void
  /** One sample for each value of the label. */
  gauges(name: string, help: string, label: string, read: () => Samples | Promise<Samples>): void
  /** A counter whose value another module keeps. */
  total(name: string, help: string, read: () => number): void
  histogram<L extends string = never>(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames?: readonly L[],
  ): Histogram<L>
  counter<L extends string = never>(name: string, help: string, labelNames?: readonly L[]): Counter<L>
}

/**
 * The time between two measurements of the event loop's delay. Each wakes the process; the default
 * of 10 ms costs an idle process 1 % of a core. The reported delays include this time.
 */
const eventLoopSampleMs = 50

export function createMetrics(service: string): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopSampleMs })
  new Gauge({
    name: 'watchline_build_info',
    help: 'Always 1; the version of the program and of Node.js',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.version }, 1)
  const commits = createCommitMetrics(registry)
  return {
    registry,
    requests: new Histogram({
      name: 'watchline_http_request_seconds',
      help: 'Time to answer, by operation and status',
      labelNames: ['operation', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers: [registry],
    }),
    events: new Counter({
      name: 'watchline_events_total',
      help: 'Received events by type and outcome: consumed, repeat (already consumed), failed (will be retried), refused (invalid)',
      labelNames: ['type', 'outcome'],
      registers: [registry],
    }),
    published: new Counter({
      name: 'watchline_events_published_total',
      help: 'Attempts to publish events of the outbox, by type and outcome: confirmed, failed (will be retried)',
      labelNames: ['type', 'outcome'],
      registers: [registry],
    }),
    retries: new Counter({
      name: 'watchline_event_retries_total',
      help: 'Events that were delivered again after a failed attempt, by type',
      labelNames: ['type'],
      registers: [registry],
    }),
    commit: commits,
    histogram: <L extends string = never>(
      name: string,
      help: string,
      buckets: readonly number[],
      labelNames: readonly L[] = [],
    ) => new Histogram<L>({ name, help, labelNames: [...labelNames], buckets: [...buckets], registers: [registry] }),
    total: (name, help, read) => {
      new Counter({
        name,
        help,
        registers: [registry],
        collect() {
          this.reset()
          this.inc(read())
        },
      })
    },
    gauges: (name, help, label, read) => {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        async collect() {
          const samples = await read()
          this.reset()
          for (const [value, sample] of samples) this.set({ [label]: value }, sample)
        },
      })
    },
    counter: <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Counter<L>({ name, help, labelNames: [...labelNames], registers: [registry] }),
    gauge: (name, help, read) => {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          const value = await Promise.resolve()
            .then(read)
            .catch(() => undefined)
          if (value === undefined) this.remove()
          else this.set(value)
        },
      })
    },
  }
}

/** Metrics that all group commits of a service share. */
function createCommitMetrics(registry: Registry): (name: string) => CommitMetrics {
  const registers = [registry]
  const labelNames = ['name'] as const
  const waiting = new Map<string, () => number>()
  const sizes = new Histogram({
    name: 'watchline_group_commit_size',
    help: 'Writes in a batch of the group commit',
    labelNames,
    buckets: [1, 2, 5, 10, 20, 50, 100, 250, 500, 1_000],
    registers,
  })
  const durations = new Histogram({
    name: 'watchline_group_commit_seconds',
    help: 'Time until a batch of the group commit was durable',
    labelNames,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  })
  const refusals = new Counter({
    name: 'watchline_group_commit_refused_total',
    help: 'Writes refused because too many were waiting, or they waited too long',
    labelNames,
    registers,
  })
  new Gauge({
    name: 'watchline_group_commit_waiting',
    help: 'Writes that wait for a batch',
    labelNames,
    registers,
    collect() {
      for (const [name, read] of waiting) this.set({ name }, read())
    },
  })
  return name => {
    refusals.inc({ name }, 0)
    return {
      observeWaiting: read => void waiting.set(name, read),
      countRefused: () => refusals.inc({ name }),
      recordBatch: (size, seconds) => {
        sizes.observe({ name }, size)
        durations.observe({ name }, seconds)
      },
    }
  }
}
