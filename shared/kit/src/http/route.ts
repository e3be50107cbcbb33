import type { ServerResponse } from 'node:http'
import type { AnyOperation, ResponseOf } from '@watchline/contracts/operation'
import type { CookieChange } from './cookies.ts'
import type { EtagVersions } from './etag.ts'
import type { RouteInput } from './route-input.ts'

/** An answer with its own status, headers or cookies. */
export class Reply<T> {
  readonly body: T
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: readonly CookieChange[]
  /**
   * False for an answer that may be older than the versions in its ETag: it is sent without one.
   */
  readonly cacheable: boolean

  constructor(
    body: T,
    options: { status?: number; headers?: Record<string, string>; cookies?: CookieChange[]; cacheable?: boolean } = {},
  ) {
    this.body = body
    this.status = options.status
    this.headers = options.headers ?? {}
    this.cookies = options.cookies ?? []
    this.cacheable = options.cacheable ?? true
  }
}

/** An answer that is sent in pieces, because it is too long to hold in memory. */
export class StreamReply {
  readonly pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>
  readonly headers: Readonly<Record<string, string>>

  constructor(pieces: StreamReply['pieces'], headers: Record<string, string>) {
    this.pieces = pieces
    this.headers = headers
  }
}

/**
 * An answer of server-sent events, open until one side ends it. `open` is called once, after the
 * rights were checked. Only `open` writes to the response, the head included.
 */
export class EventStreamReply {
  readonly open: (res: ServerResponse) => void

  constructor(open: (res: ServerResponse) => void) {
    this.open = open
  }
}

export interface RouteOptions<Ctx> {
  /**
   * For polled reads: while no version has changed, the answer is 304 without running the route.
   */
  versions?: EtagVersions<Ctx>
  /** Runs first, before the rights are checked and the body is read. */
  before?(input: { header(name: string): string | undefined; address: string }, ctx: Ctx): Promise<void>
}

export interface Route<Ctx> {
  operation: AnyOperation
  handle(input: RouteInput<AnyOperation>, ctx: Ctx): Promise<unknown>
  options: RouteOptions<Ctx>
}

/** Declares the route of an operation. */
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
