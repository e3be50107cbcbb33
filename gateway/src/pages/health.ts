import { BlockList } from 'node:net'
import type { LiveStore } from '@watchline/kit/live/live-store'
import type { EventBus } from '@watchline/kit/messaging/event-bus'
import type { Metrics } from '@watchline/kit/observability/metrics'
import type { Express, Request, Response } from 'express'
import type { Exchange } from '../requests/exchange.ts'
import { reply } from '../requests/replies.ts'

export interface HealthHost {
  bus: EventBus
  live: LiveStore
  metrics: Metrics
  isStarted(): boolean
}

/** `/healthz`, `/readyz` and, for operators only, `/metrics`. */
export function mountHealth(app: Express, { bus, live, metrics, isStarted }: HealthHost): void {
  app.get('/healthz', (_req, res) => replyJson(res, 200, { status: 'ok' }))
  app.get('/readyz', async (_req, res) => {
    const failing: string[] = []
    if (!isStarted()) failing.push('starting')
    await live.ping().catch(() => failing.push('live store'))
    const problem = bus.health()
    const late = problem ? [`event bus: ${problem}`] : []
    const ready = failing.length === 0
    replyJson(res, ready ? 200 : 503, { ready, service: 'gateway', failing, late })
  })
  app.get('/metrics', async (req, res, next) => {
    if (!isOperator(req)) return next()
    const text = await metrics.registry.metrics()
    reply(res.locals.exchange as Exchange, 200, text, { 'content-type': metrics.registry.contentType })
  })
}

function replyJson(res: Response, status: number, body: unknown) {
  const exchange = res.locals.exchange as Exchange
  exchange.operation = 'health'
  reply(exchange, status, JSON.stringify(body), {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  })
}

const privateAddresses = new BlockList()
privateAddresses.addSubnet('127.0.0.0', 8)
privateAddresses.addSubnet('10.0.0.0', 8)
privateAddresses.addSubnet('172.16.0.0', 12)
privateAddresses.addSubnet('192.168.0.0', 16)
privateAddresses.addAddress('::1', 'ipv6')
privateAddresses.addSubnet('fc00::', 7, 'ipv6')

/**
 * Operators reach the gateway directly, from this machine or a private network. A request through a
 * proxy comes from outside, although its socket has a private address.
 */
function isOperator(req: Request): boolean {
  if (req.headers['x-forwarded-for'] !== undefined || req.headers.forwarded !== undefined) return false
  const address = (req.socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  return address !== '' && privateAddresses.check(address, address.includes(':') ? 'ipv6' : 'ipv4')
}
