import type { AnyOperation, BodyOf, ParamsOf, QueryOf } from '@watchline/contracts/operation'
import type { Caller } from './caller.ts'

type CallerOf<O extends AnyOperation> = O['callers'] extends 'anyone' ? Partial<Caller> : Caller

/** The parsed input of a route, and its caller. Routes never get `req` or `res`. */
export type RouteInput<O extends AnyOperation> = CallerOf<O> & {
  params: ParamsOf<O>
  query: QueryOf<O>
  body: BodyOf<O>
  cookies: Readonly<Record<string, string | undefined>>
  header(name: string): string | undefined
  /** The IP address of the client, as the gateway saw it. */
  address: string
  /** True once the client has disconnected: nobody reads the answer any more. */
  isAbandoned(): boolean
}
