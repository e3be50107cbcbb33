import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Prometheus metrics of one service. Each has its own registry, because several services may share a process. */
export interface Metrics {
  registry: Registry
  requests: Histogram<'operation' | 'status'>
  events: Counter<'type' | 'outcome'>
  published: Counter<'type' | 'outcome'>
  retries: Counter<'type'>
  batches: Histogram<'name'>
  /** Read at every scrape; without a sample where there is nothing to read, or it cannot be read. */
  gauge(name: string, help: string, read: () => number | undefined | Promise<number | undefined>): void
  counter<L extends string = never>(name: string, help: string, labelNames?: readonly L[]): Counter<L>
}

export function createMetrics(service: string): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
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
      help: 'Events that came, by type and outcome: consumed, repeat (had come before), failed (comes again), refused (fits no schema)',
      labelNames: ['type', 'outcome'],
      registers: [registry],
    }),
    published: new Counter({
      name: 'watchline_events_published_total',
      help: 'Tries to publish events of the outbox, by type and outcome: confirmed, failed (tried again)',
      labelNames: ['type', 'outcome'],
      registers: [registry],
    }),
    retries: new Counter({
      name: 'watchline_event_retries_total',
      help: 'Events that came again because handling them had failed, by type',
      labelNames: ['type'],
      registers: [registry],
    }),
    batches: new Histogram({
      name: 'watchline_group_commit_size',
      help: 'Writes a batch of the group commit held',
      labelNames: ['name'],
      buckets: [1, 2, 5, 10, 20, 50, 100, 250, 500, 1_000],
      registers: [registry],
    }),
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
