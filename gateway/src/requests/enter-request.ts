import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HeaderValues } from '../pages/security-headers.ts'
import { isUnder } from '../routing/routing-table.ts'
import { type Exchange, type ExchangeHost, openExchange } from './exchange.ts'
import { refuse } from './replies.ts'
import { readTarget, type Target } from './request-target.ts'

export interface RequestEntryHost {
  exchange: ExchangeHost
  isProviderPath(path: string): boolean
  pageHeaders: HeaderValues
  handleApiCall(exchange: Exchange, target: Target): void
}

/** The exchange of a request that the Express app must answer; undefined for requests that are answered already. */
export type EnterRequest = (req: IncomingMessage, res: ServerResponse) => Exchange | undefined

/** The first step of every request: refuses unreadable targets and hands API calls over. A second entry finds the first. */
export function createRequestEntry(host: RequestEntryHost): EnterRequest {
  const entered = new WeakMap<IncomingMessage, Exchange>()

  return (req, res) => {
    const known = entered.get(req)
    if (known) return known
    const exchange = openExchange(req, res, host.exchange)
    const target = readTarget(req.url)
    if (!target) {
      refuse(exchange, 'malformed')
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
