import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { HeaderValues } from '../pages/security-headers.ts'
import { isUnder } from '../routing/routing-table.ts'
import { type Exchange, type ExchangeHost, openExchange } from './exchange.ts'
import { refuse } from './replies.ts'
import { hasAddressAsHost, hasSeveralHosts, isForwarded } from './request-origin.ts'
import { readTarget, type Target } from './request-target.ts'

export interface RequestEntryHost {
  exchange: ExchangeHost
  isOwnHost(headers: IncomingHttpHeaders): boolean
  isProviderPath(path: string): boolean
  /** The development provider also answers through a proxy. */
  isProviderForAll: boolean
  pageHeaders: HeaderValues
  handleApiCall(exchange: Exchange, target: Target): void
}

/** Probes call these by any name, and then learn only whether the process works. */
const pathsForAnyHost = new Set(['/healthz', '/readyz'])

/**
 * The exchange of a request that the Express app must answer; undefined for requests that are
 * answered already.
 */
export type EnterRequest = (req: IncomingMessage, res: ServerResponse) => Exchange | undefined

/**
 * The first step of every request: refuses unreadable targets and other hosts, and hands API calls
 * over. A request that enters again through Express gets the same exchange.
 */
export function createRequestEntry(host: RequestEntryHost): EnterRequest {
  const entered = new WeakMap<IncomingMessage, Exchange>()

  return (req, res) => {
    const existing = entered.get(req)
    if (existing) return existing
    const exchange = openExchange(req, res, host.exchange)
    const target = readTarget(req.url)
    if (!target || hasSeveralHosts(req)) {
      refuse(exchange, 'malformed', { headers: { connection: 'close' } })
      return undefined
    }
    const isForThisHost = host.isOwnHost(req.headers) || pathsForAnyHost.has(target.path)
    if (!isForThisHost && !(target.path === '/metrics' && hasAddressAsHost(req.headers))) {
      refuse(exchange, 'wrong_host')
      return undefined
    }
    const isProvider = host.isProviderPath(target.path)
    if (!isProvider && !isUnder(target.path, '/api')) {
      entered.set(req, exchange)
      return exchange
    }
    if (isProvider) {
      exchange.operation = 'provider'
      exchange.securityHeaders = host.pageHeaders
      // It signs anybody in as anybody, and the proxy may pass on the calls of others.
      if (!host.isProviderForAll && isForwarded(req)) {
        refuse(exchange, 'through_proxy')
        return undefined
      }
    }
    host.handleApiCall(exchange, target)
    return undefined
  }
}
