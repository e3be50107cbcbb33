import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AnyOperation } from '@watchline/contracts/operation'
import { parse as parseCookies } from 'cookie'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import type { Clock } from '../core/clock.ts'
import { fail } from '../core/errors.ts'
import type { LiveStore } from '../live/live-store.ts'
import type { Caller, IdentifyCaller } from './caller.ts'
import { checkResponse, expressPath, parseInput } from './contract-parsing.ts'
import { changeCookies } from './cookies.ts'
import { currentEtag, matchesEtag } from './etag.ts'
import type { RequestState } from './request-trace.ts'
import { EventStreamReply, Reply, type Route, StreamReply } from './route.ts'
import type { RouteInput } from './route-input.ts'

export interface RouteMounting<Ctx> {
  identify: IdentifyCaller
  clock: Clock
  routes: readonly Route<Ctx>[]
  ctx: Ctx
  live: LiveStore
  /** Checks answers against the contract; off in production. */
  checkResponses: boolean
}

/**
 * Mounts the routes under /api: identifies the caller, checks rights, parses input, sends the
 * answer.
 */
export function mountRoutes<Ctx>(app: Express, host: RouteMounting<Ctx>): void {
  // Paths with fewer parameters first, so that /playlists/today is not taken for /playlists/{id}.
  const sorted = [...host.routes].sort((a, b) => weight(a.operation.path) - weight(b.operation.path))
  const methods = new Map<string, string[]>()
  for (const route of sorted) {
    const path = `/api${expressPath(route.operation.path)}`
    methods.set(path, [...(methods.get(path) ?? []), route.operation.method])
    app[route.operation.method.toLowerCase() as 'get'](path, ...bodyParser(host, route), (req, res) =>
      serve(host, route, req, res),
    )
  }
  for (const [path, allowed] of methods) {
    app.all(path, (_req, res) => {
      res.set('Allow', allowed.join(', '))
      fail('method_not_allowed')
    })
  }
}

function weight(path: string): number {
  return path.split('{').length
}

function bodyParser<Ctx>(host: RouteMounting<Ctx>, route: Route<Ctx>) {
  const { options, operation } = route
  const before = async (req: Request, _res: Response, next: NextFunction) => {
    await options.before?.({ header: name => req.get(name), address: req.ip ?? '' }, host.ctx)
    next()
  }
  const requireJson = (req: Request, _res: Response, next: NextFunction) => {
    if (hasBody(req) && !req.is('application/json')) fail('not_json')
    next()
  }
  // Rights before the body, so that a caller without rights learns nothing from its errors.
  const checkRights = async (req: Request, res: Response, next: NextFunction) => {
    ;(res.locals as RequestState).operation = operation.name
    res.locals.caller = await host.identify(operation, req.get('authorization'))
    next()
  }
  const first = options.before ? [before] : []
  if (!operation.body) return [...first, checkRights]
  if (operation.serverCall) return [...first, checkRights, express.urlencoded({ extended: false, limit: '64kb' })]
  return [...first, checkRights, requireJson, express.json({ limit: '1mb', strict: false })]
}

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0
}

async function serve<Ctx>(host: RouteMounting<Ctx>, route: Route<Ctx>, req: Request, res: Response): Promise<void> {
  const { operation } = route
  const input = {
    ...(res.locals.caller as Partial<Caller>),
    params: parseInput(operation.params, req.params, 'params'),
    query: parseInput(operation.query, req.query, 'query'),
    body: operation.body ? parseInput(operation.body, req.body === undefined ? {} : req.body, 'body') : undefined,
    cookies: parseCookies(req.get('cookie') ?? ''),
    header: (name: string) => req.get(name),
    address: req.ip ?? '',
    isAbandoned: () => res.destroyed,
  } as RouteInput<AnyOperation>
  const { versions } = route.options
  if (versions) {
    const etag = await currentEtag(host, versions, { operation: operation.name, url: req.originalUrl, input })
    // Clients keep the answer to an ETag in their memory; no cache keeps it on disk.
    if (etag) res.set({ etag, 'cache-control': 'no-store' })
    if (etag && matchesEtag(etag, req.get('if-none-match'))) {
      res.status(304).end()
      return
    }
  }
  // The client has disconnected while the call waited. It sends the call again if it still needs
  // it.
  if (res.destroyed) return
  const answer = await route.handle(input, host.ctx)
  if (answer instanceof StreamReply) {
    res.set({ 'cache-control': 'no-store', ...answer.headers })
    await pipeline(Readable.from(answer.pieces), res)
    return
  }
  if (answer instanceof EventStreamReply) {
    if (req.method === 'HEAD') res.end()
    // The client may have disconnected during authentication; an answer opened then would never
    // end.
    else if (!res.destroyed) {
      const state = res.locals as RequestState
      state.isEventStream = true
      state.span?.update(operation.name, { 'watchline.kept_open': true })
      state.span?.end()
      answer.open(res)
    }
    return
  }
  sendReply(host, operation, answer instanceof Reply ? answer : new Reply(answer), res)
}

function sendReply<Ctx>(
  { checkResponses }: RouteMounting<Ctx>,
  operation: AnyOperation,
  reply: Reply<unknown>,
  res: Response,
): void {
  changeCookies(res, reply.cookies)
  if (!reply.cacheable) res.removeHeader('etag')
  res.status(reply.status ?? operation.status ?? 200)
  if (!res.hasHeader('cache-control')) res.set('cache-control', 'no-store')
  for (const [name, value] of Object.entries(reply.headers)) res.set(name, value)
  if (reply.body === null && operation.response.type === 'null') {
    res.end()
    return
  }
  if (checkResponses) checkResponse(operation, reply.body)
  res.json(reply.body)
}
