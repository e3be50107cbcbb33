import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { HeaderValues } from '../pages/security-headers.ts'
import { isUnder } from '../routing/routing-table.ts'
import { type Exchange, type ExchangeHost, openExchange } from './exchange.ts'
import { refuse } from './replies.ts'
import { hasSeveralHosts } from './request-origin.ts'
import { readTarget, type Target } from './request-target.ts'

export interface RequestEntryHost {
  exchange: ExchangeHost
  isOwnHost(headers: IncomingHttpHeaders): boolean
  isProviderPath(path: string): boolean
  pageHeaders: HeaderValues
  handleApiCall(exchange: Exchange, target: Target): void
}

/** Probes and scrapers call these by an address of their network. */
const pathsForAnyHost = new Set(['/healthz', '/readyz', '/metrics'])

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
    if (!host.isOwnHost(req.headers) && !pathsForAnyHost.has(target.path)) {
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
    }
    host.handleApiCall(exchange, target)
    return undefined
  }
}
