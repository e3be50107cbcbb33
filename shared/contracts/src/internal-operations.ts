import { z } from 'zod'
import { id } from './fields.ts'
import { limits } from './limits.ts'
import type { ParamsOf, QueryOf, ServiceName } from './operation.ts'
import { personSnapshot } from './people.ts'
import { assignmentSnapshot, lockIntervalSnapshot, playlistSnapshot } from './snapshots.ts'

/**
 * A read that services answer each other, and nobody else: the gateway never forwards it, and the caller must know the internal
 * secret. `path` is what follows `/internal`, with parameters as `{name}`.
 */
export interface InternalOperation<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  readonly name: string
  /** The service that answers. */
  readonly service: ServiceName
  readonly method: 'GET'
  readonly path: `/${string}`
  readonly params?: Params
  readonly query?: Query
  readonly response: Response
}

// biome-ignore lint/suspicious/noExplicitAny: the one type for internal operations of every shape
export type AnyInternalOperation = InternalOperation<any, any, any>

/** The input of a call: `params` and `query`, each only where the operation declares it. */
export type InternalInputOf<O extends AnyInternalOperation> = InputPart<'params', ParamsOf<O>> &
  InputPart<'query', QueryOf<O>>

type InputPart<Name extends string, Value> = undefined extends Value ? { [_ in Name]?: never } : { [_ in Name]: Value }

/** Returns the declaration as it is; the function exists for its types. */
export function defineInternalOperation<
  Params extends z.ZodType = z.ZodType<undefined>,
  Query extends z.ZodType = z.ZodType<undefined>,
  Response extends z.ZodType = z.ZodType,
>(declared: InternalOperation<Params, Query, Response>): InternalOperation<Params, Query, Response> {
  return declared
}

/**
 * A page of a whole collection in ascending order of keys: at most `limit` entries with keys greater than `after`. An empty `after`
 * starts at the beginning; a page shorter than `limit` is the last one. The longest key is an assignment's, two ids and a colon.
 */
export const keyPage = z.object({
  after: z.string().max(150).default(''),
  limit: z.coerce.number().int().min(1).max(limits.internalPageMax).default(limits.pageDefault),
})
export type KeyPage = z.infer<typeof keyPage>

export const listPersonSnapshots = defineInternalOperation({
  name: 'listPersonSnapshots',
  service: 'auth',
  method: 'GET',
  path: '/people',
  query: keyPage,
  response: z.array(personSnapshot),
})

export const getPersonSnapshot = defineInternalOperation({
  name: 'getPersonSnapshot',
  service: 'auth',
  method: 'GET',
  path: '/people/{id}',
  params: z.object({ id }),
  response: personSnapshot,
})

export const listPlaylistSnapshots = defineInternalOperation({
  name: 'listPlaylistSnapshots',
  service: 'playback-session',
  method: 'GET',
  path: '/playlists',
  query: keyPage,
  response: z.array(playlistSnapshot),
})

export const getPlaylistSnapshot = defineInternalOperation({
  name: 'getPlaylistSnapshot',
  service: 'playback-session',
  method: 'GET',
  path: '/playlists/{id}',
  params: z.object({ id }),
  response: playlistSnapshot,
})

/** In the order of `personId:playlistId`, which is also the key of `after`. */
export const listAssignmentSnapshots = defineInternalOperation({
  name: 'listAssignmentSnapshots',
  service: 'playback-session',
  method: 'GET',
  path: '/assignments',
  query: keyPage,
  response: z.array(assignmentSnapshot),
})

export const getAssignmentSnapshot = defineInternalOperation({
  name: 'getAssignmentSnapshot',
  service: 'playback-session',
  method: 'GET',
  path: '/assignments/{personId}/{playlistId}',
  params: z.object({ personId: id, playlistId: id }),
  response: assignmentSnapshot,
})

/** The latest intervals in which the person's sessions owned the monitoring lock, newest first; empty for an unknown person. */
export const listLockIntervals = defineInternalOperation({
  name: 'listLockIntervals',
  service: 'playback-session',
  method: 'GET',
  path: '/holds/{personId}',
  params: z.object({ personId: id }),
  response: z.array(lockIntervalSnapshot),
})

/** Every internal operation. */
export const internalOperations: readonly AnyInternalOperation[] = [
  listPersonSnapshots,
  getPersonSnapshot,
  listPlaylistSnapshots,
  getPlaylistSnapshot,
  listAssignmentSnapshots,
  getAssignmentSnapshot,
  listLockIntervals,
]
