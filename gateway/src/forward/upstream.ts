import type { ServiceName } from '@watchline/contracts/operation'
import type { Metrics } from '@watchline/kit/observability/metrics'
import { Pool } from 'undici'
import type { GatewayConfig } from '../config.ts'

/** One address of a service. */
export interface Address {
  origin: string
  pool: Pool
  /** It could not be reached: others are tried first until then (ms). */
  skippedUntil: number
}

/** A service as the gateway sees it: its addresses, taken in turn, and how much is under way. */
export interface Upstream {
  service: ServiceName
  /** Requests under way, streams left out. */
  inFlight: number
  /** The next address, one that answers before one that lately did not; `besides` is avoided when there is another. */
  next(now: number, besides?: Address): Address
  failed(address: Address, now: number): void
  measure: UpstreamMeasure
  /** Whether there is room for one more; polls give way first, so that writes still pass under overload. */
  hasRoom(poll: boolean): boolean
  close(): Promise<void>
}

/** Why a call to a service came to nothing: `shed` and `shed_poll` were not even tried, because too many were under way. */
export type UpstreamFailure = 'unreachable' | 'broken' | 'too_slow' | 'shed' | 'shed_poll'

export interface UpstreamMeasure {
  /** A whole answer has come, whatever it says. */
  answered(seconds: number): void
  failed(reason: UpstreamFailure): void
}

/** Measures of the services as the gateway sees them, one for each. */
export function upstreamMeasures(metrics: Metrics): (service: string) => UpstreamMeasure {
  const durations = metrics.histogram(
    'watchline_upstream_seconds',
    'Time until the whole answer of a service was there',
    [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    ['upstream'],
  )
  const failures = metrics.counter(
    'watchline_upstream_failures_total',
    'Calls to a service that came to nothing: unreachable, broken, too_slow; shed and shed_poll were not tried under overload',
    ['upstream', 'reason'],
  )
  return upstream => {
    const own = durations.labels({ upstream })
    return {
      answered: seconds => own.observe(seconds),
      failed: reason => failures.inc({ upstream, reason }),
    }
  }
}

const skipMs = 2_000
/**
 * Shorter than a service goes on answering once it is told to end (DRAIN_MS): connections in use are asked to leave by an answer then,
 * and those out of use are gone before the service closes what is left. Else a request could be on its way on one that is just being
 * closed, and a write may not simply be sent again.
 */
const keepAliveMs = 1_000

export function createUpstream(service: ServiceName, config: GatewayConfig, measure: UpstreamMeasure): Upstream {
  const pollsEndAt = Math.ceil(config.maxInFlight * 0.75)
  const addresses: Address[] = config.upstreams[service].map(origin => ({
    origin,
    pool: new Pool(origin, {
      connections: config.connections,
      pipelining: 1,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      connectTimeout: config.connectTimeoutMs,
      // The time to the first byte is measured by whoever forwards, waiting for a connection included.
      headersTimeout: 0,
      bodyTimeout: config.answerTimeoutMs,
    }),
    skippedUntil: 0,
  }))
  let turn = 0

  return {
    service,
    measure,
    inFlight: 0,
    next: (now, besides) => {
      let otherwise: Address | undefined
      for (let tries = 0; tries < addresses.length; tries++) {
        const address = addresses[turn++ % addresses.length]!
        if (address === besides) continue
        if (address.skippedUntil <= now) return address
        otherwise ??= address
      }
      // All are being skipped: trying one is better than not to try, and finds out at once when it is back.
      return otherwise ?? besides ?? addresses[0]!
    },
    failed: (address, now) => {
      address.skippedUntil = now + skipMs
    },
    hasRoom(poll) {
      return this.inFlight < (poll ? pollsEndAt : config.maxInFlight)
    },
    close: async () => {
      await Promise.all(addresses.map(({ pool }) => pool.destroy()))
    },
  }
}

/** The address itself could not be reached, as opposed to a connection that broke. */
export function isUnreachable(error: unknown): boolean {
  const { code } = Object(error) as { code?: string }
  return (
    code === 'UND_ERR_CONNECT_TIMEOUT' ||
    /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ETIMEDOUT|EADDRNOTAVAIL)$/.test(code ?? '')
  )
}
