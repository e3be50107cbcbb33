import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '@watchline/kit/core/clock'
import type { Logger } from '@watchline/kit/observability/log'

const validMs = 3_600_000

export interface ProxyCheck {
  checkHeaders(headers: IncomingHttpHeaders): void
  /** For the readiness details; undefined without a problem within the last hour. */
  problem(): string | undefined
}

/**
 * Notices a proxy that the settings do not name: all its clients would share one address, and so
 * the limits of one client. A client may send the header, too, so it is a warning only.
 */
export function createProxyCheck({
  trustedProxies,
  clock,
  log,
}: {
  trustedProxies: number
  clock: Clock
  log: Logger
}): ProxyCheck {
  let noticedAt = Number.NEGATIVE_INFINITY
  return {
    checkHeaders: headers => {
      if (trustedProxies > 0 || headers['x-forwarded-for'] === undefined) return
      const now = clock.now()
      if (now - noticedAt < validMs) return
      noticedAt = now
      log.warn('requests carry X-Forwarded-For, but TRUSTED_PROXIES is 0: all clients of a proxy count as one')
    },
    problem: () =>
      clock.now() - noticedAt < validMs ? 'requests carry X-Forwarded-For, but TRUSTED_PROXIES is 0' : undefined,
  }
}
