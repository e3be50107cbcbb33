import type { ServiceName } from '@watchline/contracts/operation'
import type { LowPriority } from '@watchline/contracts/priority'
import { type AdmissionControl, createAdmissionControl } from '@watchline/kit/http/admission'
import type { Metrics } from '@watchline/kit/observability/metrics'
import { Pool } from 'undici'
import type { GatewayConfig } from '../config.ts'

/** One address of a service. */
export interface UpstreamAddress {
  origin: string
  pool: Pool
  /** Not preferred until this time (ms), because it was unreachable. */
  skippedUntil: number
}

/**
 * A service as the gateway sees it: its addresses, used in round-robin order, and its open
 * requests.
 */
export interface Upstream {
  service: ServiceName
  /** Open requests without streams. */
  inFlight: number
  /** The next address; reachable ones come first. `avoided` is the last resort. */
  nextAddress(now: number, avoided?: UpstreamAddress): UpstreamAddress
  markUnreachable(address: UpstreamAddress, now: number): void
  measure: UpstreamMeasure
  /**
   * Records the duration of each successful write. The duration of a refusal does not show how long
   * work takes. Nor does that of a read: an unchanged one is answered without MongoDB, so it is
   * quick while writes wait.
   */
  admission: AdmissionControl
  /**
   * Whether one more request may start. Each kind of call has its own limit of open requests.
   * Before that, calls of low priority are refused while the service answers late.
   */
  hasCapacity(call: CapacityQuery): boolean
  close(): Promise<void>
}

export interface CapacityQuery {
  isReading: boolean
  /** A call that needs no session: sign-in with its reads and redirects. */
  needsNoSession: boolean
  priority: LowPriority | undefined
}

/**
 * Why a call failed. `shed` and `shed_poll`: a write or a read that was not sent because of
 * overload.
 */
export type UpstreamFailure = 'unreachable' | 'broken' | 'too_slow' | 'shed' | 'shed_poll'

export interface UpstreamMeasure {
  /** Records a whole answer, whatever its status. */
  recordAnswer(seconds: number): void
  recordFailure(reason: UpstreamFailure): void
}

/** The metrics of a service as the gateway sees it. */
export function createUpstreamMeasures(metrics: Metrics): (service: string) => UpstreamMeasure {
  const durations = metrics.histogram(
    'watchline_upstream_seconds',
    'Time until the whole answer of a service has arrived',
    [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    ['upstream'],
  )
  const failures = metrics.counter(
    'watchline_upstream_failures_total',
    'Calls to a service that failed: unreachable, broken, too_slow; shed and shed_poll were not sent because of overload',
    ['upstream', 'reason'],
  )
  return upstream => {
    const serviceDurations = durations.labels({ upstream })
    return {
      recordAnswer: seconds => serviceDurations.observe(seconds),
      recordFailure: reason => failures.inc({ upstream, reason }),
    }
  }
}

/**
 * The share of the open requests at which a kind of call is refused. Calls that can wait must not
 * take the places of sign-in and of what a person does.
 */
const capacityShares = { poll: 0.6, report: 0.75, read: 0.9, write: 1 }

const skipMs = 2_000
/**
 * A service is overloaded if even its quickest writes take longer than this, ms. An idle service
 * answers a report after some 100 ms: reports gather for up to 75 ms, and are then made durable.
 */
const writeTargetMs = 250
const minWrites = 5
/**
 * Must be shorter than a service's drain time (DRAIN_MS). While a service drains, its answers close
 * the connections in use, and idle ones expire here. Otherwise a write could be sent on a
 * connection that is closing, and writes are not retried.
 */
const keepAliveMs = 1_000

export function createUpstream(service: ServiceName, config: GatewayConfig, measure: UpstreamMeasure): Upstream {
  const limitOf = (kind: keyof typeof capacityShares) => Math.ceil(config.maxInFlight * capacityShares[kind])
  const openLimits = {
    poll: limitOf('poll'),
    report: limitOf('report'),
    read: limitOf('read'),
    write: limitOf('write'),
  }
  const admission = createAdmissionControl({ targetMs: writeTargetMs, minSamples: minWrites })
  const addresses: UpstreamAddress[] = config.upstreams[service].map(origin => ({
    origin,
    pool: new Pool(origin, {
      connections: config.connections,
      pipelining: 1,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      connectTimeout: config.connectTimeoutMs,
      // The forwarders limit the time to the first byte, which includes the wait for a connection.
      headersTimeout: 0,
      bodyTimeout: config.answerTimeoutMs,
    }),
    skippedUntil: 0,
  }))
  let roundRobin = 0

  return {
    service,
    measure,
    admission,
    inFlight: 0,
    nextAddress: (now, avoided) => {
      let skipped: UpstreamAddress | undefined
      for (let attempt = 0; attempt < addresses.length; attempt++) {
        const address = addresses[roundRobin++ % addresses.length]!
        if (address === avoided) continue
        if (address.skippedUntil <= now) return address
        skipped ??= address
      }
      // All addresses were unreachable. An attempt is better than none, and notices a recovery at
      // once.
      return skipped ?? avoided ?? addresses[0]!
    },
    markUnreachable: (address, now) => {
      address.skippedUntil = now + skipMs
    },
    hasCapacity({ isReading, needsNoSession, priority }) {
      const kind = priority ?? (isReading && !needsNoSession ? 'read' : 'write')
      return this.inFlight < openLimits[kind] && admission.admits(priority)
    },
    close: async () => {
      await Promise.all(addresses.map(({ pool }) => pool.destroy()))
    },
  }
}

/**
 * Whether the address itself was unreachable or is another server, as opposed to a broken
 * connection.
 */
export function isUnreachable(error: unknown): boolean {
  const { code } = Object(error) as { code?: string }
  return (
    code === 'UND_ERR_CONNECT_TIMEOUT' ||
    // The certificate is not one of this service, so nothing was sent.
    /^ERR_TLS_|CERT|^UNABLE_TO_/.test(code ?? '') ||
    /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ETIMEDOUT|EADDRNOTAVAIL)$/.test(code ?? '')
  )
}
