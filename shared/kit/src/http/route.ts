import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AnyOperation, ResponseOf } from '@watchline/contracts/operation'
import { parse as parseCookies } from 'cookie'
import express, {
  type CookieOptions,
  type ErrorRequestHandler,
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import type { z } from 'zod'
import type { Clock } from '../core/clock.ts'
import { fail, ServiceError } from '../core/errors.ts'
import type { LiveStore } from '../live/live-store.ts'
import { isUnavailable } from '../mongo/errors.ts'
import { currentTrace, idsForLog, type Logger } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import { type Span, type Tracer, validTraceparent } from '../observability/tracing.ts'
import type { Caller, IdentifyCaller } from './caller.ts'
import { currentEtag, type EtagVersions, isFresh } from './etag.ts'
import type { RouteInput } from './route-input.ts'

export interface CookieChange {
  name: string
  /** null removes the cookie */
  value: string | null
  options: CookieOptions
}

/** An answer that is more than its JSON. */
export class Reply<T> {
  readonly body: T
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: readonly CookieChange[]
  /** It may be older than the versions it would be known by (see versioned.ts): it goes without a tag, and is not repeated unseen. */
  readonly untagged: boolean

  constructor(
    body: T,
    more: { status?: number; headers?: Record<string, string>; cookies?: CookieChange[]; untagged?: boolean } = {},
  ) {
    this.body = body
    this.status = more.status
    this.headers = more.headers ?? {}
    this.cookies = more.cookies ?? []
    this.untagged = more.untagged ?? false
  }
}

/** An answer that is told piece by piece, for what is too long to hold at once. */
export class StreamReply {
  readonly pieces: AsyncIterable<string>
  readonly headers: Readonly<Record<string, string>>

  constructor(pieces: AsyncIterable<string>, headers: Record<string, string>) {
    this.pieces = pieces
    this.headers = headers
  }
}

/**
 * An answer that stays open until one of the two ends it. The rights have been checked; `take` writes the head and whatever follows. It
 * is called once, with an answer that nobody else touches.
 */
export class EventStreamReply {
  readonly take: (res: ServerResponse) => void

  constructor(take: (res: ServerResponse) => void) {
    this.take = take
  }
}

export interface RouteOptions<Ctx> {
  /** For reads that are polled: see versioned.ts. Unchanged, they are answered with 304 and the route does not run. */
  versions?: EtagVersions<Ctx>
  /** Runs before the body is read, whatever it holds. */
  before?(input: { header(name: string): string | undefined; address: string }, ctx: Ctx): Promise<void>
}

export interface Route<Ctx> {
  operation: AnyOperation
  handle(input: RouteInput<AnyOperation>, ctx: Ctx): Promise<unknown>
  options: RouteOptions<Ctx>
}

/** A route: the operation it serves, and the story of one call. */
export function defineRoute<O extends AnyOperation, Ctx>(
  operation: O,
  handle: (
    input: RouteInput<O>,
    ctx: Ctx,
  ) => Promise<ResponseOf<O> | Reply<ResponseOf<O>> | StreamReply | EventStreamReply>,
  options: RouteOptions<Ctx> = {},
): Route<Ctx> {
  return { operation, handle: handle as Route<Ctx>['handle'], options }
}

export interface RouteMounting<Ctx> {
  identify: IdentifyCaller
  clock: Clock
  routes: readonly Route<Ctx>[]
  ctx: Ctx
  live: LiveStore
  log: Logger
  metrics: Metrics
  /** Checks answers against the contract; outside production. */
  checkResponses: boolean
}

interface RequestState {
  requestId: string
  operation?: string
  span?: Span | undefined
  /** How long it stays is no measure of how fast it was answered. */
  keptOpen?: true
}

/** Mounts the routes under /api, with parsing, identity, rights and the one mapping of errors to answers. */
export function mountRoutes<Ctx>(app: Express, host: RouteMounting<Ctx>): void {
  // The path with fewer parameters first: /playlists/today before /playlists/{id}.
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

/** A contract's path as Express writes it: `:id` for `{id}`. */
export function expressPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

function bodyParser<Ctx>(host: RouteMounting<Ctx>, route: Route<Ctx>) {
  const { options, operation } = route
  const before = async (req: Request, _res: Response, next: NextFunction) => {
    await options.before?.({ header: name => req.get(name), address: req.ip ?? '' }, host.ctx)
    next()
  }
  const onlyJson = (req: Request, _res: Response, next: NextFunction) => {
    if (hasBody(req) && !req.is('application/json')) fail('not_json')
    next()
  }
  // Rights before the body: whoever may not call learns nothing from what is wrong with it.
  const rights = async (req: Request, res: Response, next: NextFunction) => {
    ;(res.locals as RequestState).operation = operation.name
    res.locals.caller = await host.identify(operation, req.get('authorization'))
    next()
  }
  const steps = options.before ? [before] : []
  return operation.body
    ? [...steps, rights, onlyJson, express.json({ limit: '1mb', strict: false })]
    : [...steps, rights]
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
    body: operation.body ? parseInput(operation.body, req.body ?? {}, 'body') : undefined,
    cookies: parseCookies(req.get('cookie') ?? ''),
    header: (name: string) => req.get(name),
    address: req.ip ?? '',
  } as RouteInput<AnyOperation>
  const { versions } = route.options
  if (versions) {
    const tag = await currentEtag(host, versions, { operation: operation.name, url: req.originalUrl, input })
    if (tag) res.set({ etag: tag, 'cache-control': 'private, no-cache' })
    if (tag && isFresh(tag, req.get('if-none-match'))) {
      res.status(304).end()
      return
    }
  }
  const answer = await route.handle(input, host.ctx)
  if (answer instanceof StreamReply) {
    res.set({ 'cache-control': 'private, no-cache', ...answer.headers })
    await pipeline(Readable.from(answer.pieces), res)
    return
  }
  if (answer instanceof EventStreamReply) {
    if (req.method === 'HEAD') res.end()
    // Gone while it was looked who it is: there is nobody to write to, and nobody would ever end it.
    else if (!res.destroyed) {
      const state = res.locals as RequestState
      state.keptOpen = true
      state.span?.note(operation.name, { 'watchline.kept_open': true })
      state.span?.end()
      answer.take(res)
    }
    return
  }
  const reply = answer instanceof Reply ? answer : new Reply(answer)
  for (const { name, value, options } of reply.cookies) {
    if (value === null) res.clearCookie(name, options)
    else res.cookie(name, value, options)
  }
  if (reply.untagged) res.removeHeader('etag')
  res.status(reply.status ?? operation.status ?? 200)
  if (!res.hasHeader('cache-control')) res.set('cache-control', 'private, no-cache')
  for (const [name, value] of Object.entries(reply.headers)) res.set(name, value)
  if (reply.body === null && operation.response.type === 'null') {
    res.end()
    return
  }
  if (host.checkResponses) checkResponse(operation, reply.body)
  res.json(reply.body)
}

/** Throws where an answer breaks its contract. */
export function checkResponse({ name, response }: Pick<AnyOperation, 'name' | 'response'>, body: unknown): void {
  const checked = response.safeParse(body)
  if (!checked.success) throw new Error(`${name} answers what its contract does not allow: ${checked.error.message}`)
}

export function parseInput(schema: z.ZodType | undefined, value: unknown, where: string): unknown {
  if (!schema) return undefined
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  // A path that is nobody's id is simply not found.
  if (where === 'params') fail('not_found')
  const errors = parsed.error.issues.map(issue => ({ path: issue.path.join('.'), message: plainly(issue.message) }))
  const first = errors[0]
  fail('invalid', {
    errors,
    ...(first && { detail: sentence(first.path, first.message) }),
  })
}

/** The parser's own messages in the words of a person; those of the contracts are that already. */
function plainly(message: string): string {
  if (message.endsWith('received undefined')) return 'is required'
  if (message === 'Invalid input') return 'is not valid'
  const own = /^(?:Invalid input|Invalid option|Invalid string|Too big|Too small|Unrecognized key)s?: (.*)$/.exec(
    message,
  )
  return own ? `is not valid: ${own[1]}` : message
}

/** A rule that is a sentence of its own stands alone; a short one follows the field it is about. */
function sentence(path: string, message: string): string {
  return /^[A-Z]/.test(message) ? message : `${path || 'The body'} ${message}`
}

/** First middleware: request id and trace for the logs, the span, and the measuring of every answer. */
export function requestTrace(host: { log: Logger; metrics: Metrics; tracer?: Tracer | undefined }) {
  return (req: Request, res: Response, next: NextFunction) => {
    const given = req.get('x-request-id')
    const requestId = given && /^[\w-]{8,64}$/.test(given) ? given : randomUUID()
    const state = res.locals as RequestState
    state.requestId = requestId
    res.set('x-request-id', requestId)
    const parent = validTraceparent(req.get('traceparent'))
    const span = host.tracer?.start('request', { kind: 'server', parent, facts: { 'watchline.request_id': requestId } })
    state.span = span
    const traceparent = span?.traceparent ?? parent
    const started = process.hrtime.bigint()
    res.on('finish', () => {
      const seconds = Number(process.hrtime.bigint() - started) / 1e9
      const operation = nameOf(state, req)
      if (state.keptOpen) return
      const status = res.statusCode
      host.metrics.requests.observe({ operation, status: String(status) }, seconds)
      if (host.log.isLevelEnabled('debug'))
        host.log.debug(
          { operation, status, ms: Math.round(seconds * 1e4) / 10, ...idsForLog(requestId, traceparent) },
          'answered',
        )
    })
    if (span)
      res.on('close', () => {
        span.note(nameOf(state, req), {
          'http.request.method': req.method,
          'http.response.status_code': res.statusCode,
        })
        span.end(!res.writableFinished ? 'aborted' : res.statusCode >= 500 ? String(res.statusCode) : undefined)
      })
    currentTrace.run({ requestId, traceparent }, next)
  }
}

/** The operation of the contract; for the routes between services, their template. */
function nameOf({ operation }: RequestState, req: Request): string {
  if (operation) return operation
  return req.route && req.baseUrl === '/internal' ? `internal${req.route.path}` : 'other'
}

/** Last: unknown paths, and the one place where an error becomes an answer. Nothing internal is ever told. */
export function answerErrors(host: { log: Logger }): [RequestHandler, ErrorRequestHandler] {
  return [
    () => fail('not_found'),
    (error: unknown, _req: Request, res: Response, _next: NextFunction) => {
      const problem = asServiceError(error)
      const requestId = (res.locals as RequestState).requestId ?? randomUUID()
      if (problem.status >= 500) host.log.error({ err: problem.cause ?? error, code: problem.code }, 'request failed')
      if (res.headersSent) {
        res.destroy()
        return
      }
      if (problem.retryAfterS !== undefined) res.set('retry-after', String(Math.max(1, Math.ceil(problem.retryAfterS))))
      res.removeHeader('etag')
      res.set('cache-control', 'no-store')
      res.status(problem.status).json(problem.body(requestId))
    },
  ]
}

/** What an error means to a caller: our own as it is, known outages 503, anything unknown a silent 500. */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const { type, status } = Object(error) as { type?: string; status?: number }
  if (type === 'entity.too.large') return new ServiceError('too_large')
  if (type === 'encoding.unsupported' || type === 'charset.unsupported') return new ServiceError('not_json')
  if (type === 'entity.parse.failed' || type === 'request.aborted' || type === 'request.size.invalid' || status === 400)
    return new ServiceError('malformed')
  if (isUnavailable(error)) return new ServiceError('unavailable', { retryAfterS: 2, cause: error })
  return new ServiceError('internal', { cause: error })
}
