import type { BaseQueryApi, BaseQueryFn } from '@reduxjs/toolkit/query'
import type { AnyOperation } from '@watchline/contracts/operation'
import { type CallOptions, callOperation, type Input, type InputOf } from './call-operation.ts'
import type { Failure } from './failure.ts'
import { trackRead } from './first-screen.ts'
import { scheduleTimeout } from './schedule.ts'

export interface GatewayCall {
  operation: AnyOperation
  input: Input
  options?: CallOptions
}

export interface GatewayMeta {
  /** `X-Total-Count` of lists. */
  total?: number
  /** `X-Next-Cursor` of lists: there is a further page. */
  nextCursor?: string
}

/** The query cache, which is created with the base query and so cannot be imported here. */
export interface BaseQueryHost {
  /** The path of the query cache in the state of the store. */
  reducerPath: string
  /** Fetches a query again, although the cache has its answer. */
  refetch(api: BaseQueryApi, originalArgs: unknown): void
}

/** Reads within this time after the person's own change are not polls, ms. */
const awaitedAfterChangeMs = 5_000

/** Calls the gateway, marks polls, and repeats a poll that the servers refused for overload. */
export function createBaseQuery(host: BaseQueryHost): BaseQueryFn<GatewayCall, unknown, Failure, object, GatewayMeta> {
  const waitingKeys = new Set<string>()
  let changedAt = Number.NEGATIVE_INFINITY

  const findEntry = ({ getState, queryCacheKey }: BaseQueryApi) => {
    const { queries } = (getState() as Record<string, { queries: Record<string, QueryEntry | undefined> }>)[
      host.reducerPath
    ]!
    return queryCacheKey === undefined ? undefined : queries[queryCacheKey]
  }

  /** The cache has an earlier answer. A request for a list's next cursor has none. */
  const isPoll = (api: BaseQueryApi, { input }: GatewayCall) =>
    findEntry(api)?.data !== undefined &&
    input.query?.cursor === undefined &&
    Date.now() - changedAt > awaitedAfterChangeMs

  function repeatLater(api: BaseQueryApi, retryAfterS: number) {
    const key = api.queryCacheKey
    if (key === undefined || waitingKeys.has(key)) return
    waitingKeys.add(key)
    scheduleTimeout(retryAfterS * 1_000 * (1 + Math.random() / 2), () => {
      waitingKeys.delete(key)
      const entry = findEntry(api)
      // Otherwise nobody shows it any more, or another poll was answered meanwhile.
      if (entry?.status === 'rejected') host.refetch(api, entry.originalArgs)
    })
  }

  return async (call, api) => {
    const priority = isPoll(api, call) ? 'poll' : undefined
    const options = { signal: api.signal, priority, ...call.options } as const
    const called = callOperation(call.operation, call.input as InputOf<AnyOperation>, options)
    const answer = await (api.type === 'query' ? trackRead(called) : called)
    if (api.type === 'mutation') changedAt = Date.now()
    if (!answer.ok) {
      const { ok, ...failure } = answer
      if (priority === 'poll' && failure.code === 'overloaded') repeatLater(api, failure.retryAfter ?? 1)
      return { error: failure }
    }
    const total = answer.headers.get('x-total-count')
    const nextCursor = answer.headers.get('x-next-cursor') ?? undefined
    return { data: answer.data, meta: { total: total === null ? undefined : Number(total), nextCursor } }
  }
}

interface QueryEntry {
  status: string
  data?: unknown
  originalArgs?: unknown
}
