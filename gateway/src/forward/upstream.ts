import type { ServiceName } from '@watchline/contracts/operation'
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
  /** Whether there is room for one more; polls give way first, so that writes still pass under overload. */
  hasRoom(poll: boolean): boolean
  close(): Promise<void>
}

const skipMs = 2_000
/** Below the 65 s after which services close idle connections, so that it is never they who close under a request. */
const keepAliveMs = 30_000

export function createUpstream(service: ServiceName, config: GatewayConfig): Upstream {
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
