import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { Role } from './people.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export const serviceNames = ['auth', 'playback-session', 'engagement', 'notification', 'chat'] as const
export type ServiceName = (typeof serviceNames)[number]

/**
 * Everybody, everybody with a session, or people of these roles. The route itself checks the rights
 * on single objects.
 */
export type AllowedCallers = 'anyone' | 'signed-in' | readonly Role[]

type MediaType =
  | 'text/calendar'
  | 'text/csv'
  | 'text/plain'
  | 'text/event-stream'
  | 'application/json'
  | 'application/pdf'
  | 'application/x-ndjson'
  | 'image/*'

/**
 * One call of the API. The server parses requests by it and the client parses responses. `path` is
 * relative to `/api`, with parameters as `{name}`. A `null` response has no JSON: a redirect, a
 * file or a stream. `status` is the status of success; the default is 200.
 */
export interface Operation<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  readonly name: string
  readonly service: ServiceName
  readonly method: Method
  readonly path: `/${string}`
  readonly callers: AllowedCallers
  readonly summary: string
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /**
   * Another organisation's server makes this call, with a form as the body. It has no session and
   * no anti-forgery token, so the route must check what proves the caller.
   */
  readonly serverCall?: true
  /** The call may have no body; it is then parsed as `{}`. */
  readonly bodyOptional?: boolean
  readonly response: Response
  /** The media types of a `null` response with content. */
  readonly mediaType?: MediaType | readonly MediaType[]
  readonly status?: number
  readonly errors?: readonly ErrorCode[]
}

// biome-ignore lint/suspicious/noExplicitAny: the one type for operations of every shape
export type AnyOperation = Operation<any, any, any, any>

type SchemaOrUndefined<T> = T extends z.ZodType ? T : z.ZodType<undefined>

/** Returns the declaration unchanged; it exists for type inference. */
export function defineOperation<
  Params extends z.ZodType = z.ZodType<undefined>,
  Query extends z.ZodType = z.ZodType<undefined>,
  Body extends z.ZodType = z.ZodType<undefined>,
  Response extends z.ZodType = z.ZodType,
>(declaration: Operation<Params, Query, Body, Response>): Operation<Params, Query, Body, Response> {
  return declaration
}

export type ParamsOf<O extends { params?: z.ZodType }> = z.infer<SchemaOrUndefined<NonNullable<O['params']>>>
export type QueryOf<O extends { query?: z.ZodType }> = z.infer<SchemaOrUndefined<NonNullable<O['query']>>>
export type BodyOf<O extends AnyOperation> = z.infer<SchemaOrUndefined<NonNullable<O['body']>>>
/** A request body before defaults and trimming, as a caller may send it. */
export type BodyInputOf<O extends AnyOperation> = z.input<SchemaOrUndefined<NonNullable<O['body']>>>
export type QueryInputOf<O extends AnyOperation> = z.input<SchemaOrUndefined<NonNullable<O['query']>>>
export type ResponseOf<O extends { response: z.ZodType }> = z.infer<O['response']>

/** The path of an operation with its parameters. */
export function fillPath(path: string, params: Readonly<Record<string, unknown>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
}
