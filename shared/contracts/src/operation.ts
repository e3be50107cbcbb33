import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { Role } from './people.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export const serviceNames = ['auth', 'playback-session', 'engagement', 'notification', 'chat'] as const
export type ServiceName = (typeof serviceNames)[number]

/** Anyone, anyone with a session, or people of these roles. The route checks the rights on single objects. */
export type AllowedCallers = 'anyone' | 'signed-in' | readonly Role[]

/**
 * One call of the API, executed by both sides. `path` follows `/api` and has parameters as `{name}`. A `null` response means
 * an answer without JSON (a redirect, a stream). `status` is that of success; the default is 200.
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
  readonly who: AllowedCallers
  readonly summary: string
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /** The call may come without a body (an absent one is parsed as `{}`). */
  readonly bodyOptional?: boolean
  readonly response: Response
  readonly status?: number
  readonly errors?: readonly ErrorCode[]
}

// biome-ignore lint/suspicious/noExplicitAny: the one place where operations of every shape are listed together
export type AnyOperation = Operation<any, any, any, any>

type SchemaOrUndefined<T> = T extends z.ZodType ? T : z.ZodType<undefined>

/** Returns the declaration as it is; the function exists for its types. */
export function defineOperation<
  Params extends z.ZodType = z.ZodType<undefined>,
  Query extends z.ZodType = z.ZodType<undefined>,
  Body extends z.ZodType = z.ZodType<undefined>,
  Response extends z.ZodType = z.ZodType,
>(declared: Operation<Params, Query, Body, Response>): Operation<Params, Query, Body, Response> {
  return declared
}

export type ParamsOf<O extends { params?: z.ZodType }> = z.infer<SchemaOrUndefined<NonNullable<O['params']>>>
export type QueryOf<O extends { query?: z.ZodType }> = z.infer<SchemaOrUndefined<NonNullable<O['query']>>>
export type BodyOf<O extends AnyOperation> = z.infer<SchemaOrUndefined<NonNullable<O['body']>>>
/** A request body as a caller may send it, before defaults and trimming. */
export type BodyInputOf<O extends AnyOperation> = z.input<SchemaOrUndefined<NonNullable<O['body']>>>
export type QueryInputOf<O extends AnyOperation> = z.input<SchemaOrUndefined<NonNullable<O['query']>>>
export type ResponseOf<O extends { response: z.ZodType }> = z.infer<O['response']>
