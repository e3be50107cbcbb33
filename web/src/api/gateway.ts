import type { ThunkDispatch, UnknownAction } from '@reduxjs/toolkit'
import { createApi } from '@reduxjs/toolkit/query/react'
import type { AnyOperation, ResponseOf } from '@watchline/contracts/operation'
import { accountRefusalAddress } from './account-refusal.ts'
import { createBaseQuery, type GatewayCall, type GatewayMeta } from './base-query.ts'
import type { CallOptions, Input, InputOf } from './call-operation.ts'
import { leavePage } from './leave-page.ts'
import { loadSession, type Person } from './signed-in-person.ts'

const baseQuery = createBaseQuery({
  reducerPath: 'gateway',
  refetch: ({ dispatch, endpoint }, originalArgs) => {
    const { initiate } = (gateway.endpoints as unknown as Record<string, { initiate: RefetchAction }>)[endpoint]!
    dispatch(initiate(originalArgs, { forceRefetch: true, subscribe: false }))
  },
})

type RefetchAction = (originalArgs: unknown, options: { forceRefetch: true; subscribe: false }) => UnknownAction

/**
 * Tags of the query cache. A mutation names the tags it changes, and visible queries with these
 * tags are fetched again.
 */
export const tags = [
  'Session',
  'People',
  'Team',
  'Groups',
  'Online',
  'Playlists',
  'Tasks',
  'Today',
  'Engagement',
  'SavedReports',
  'Comments',
  'Notifications',
  'SupervisorRequests',
  'Administrators',
  'SecondFactors',
  'Mails',
  'Chat',
] as const
export type Tag = (typeof tags)[number]
/** An item of a tag. */
export interface TagPart {
  type: Tag
  id: string
}

/** Rooms and unread counts; messages carry the id of their room instead. */
export const chatRooms: TagPart = { type: 'Chat', id: 'rooms' }

/** The one API of the gateway. Features add their endpoints with `injectEndpoints`. */
export const gateway = createApi({
  reducerPath: 'gateway',
  baseQuery,
  tagTypes: tags,
  endpoints: build => ({
    /** The signed-in person, or null. */
    getSession: build.query<Person | null, void>({
      queryFn: async () => {
        const session = await loadSession()
        if (session.ok && session.accountRefusal) return leaveAndWait(accountRefusalAddress(session.accountRefusal))
        return session.ok ? { data: session.person } : { error: session.failure }
      },
      providesTags: ['Session'],
    }),
  }),
})

export const { useGetSessionQuery } = gateway

/** Never resolves, so that nothing else is shown before the other page. */
function leaveAndWait(url: string): Promise<never> {
  leavePage.to(url)
  return new Promise(() => {})
}

/** For changes of the query cache. */
// biome-ignore lint/suspicious/noExplicitAny: RTK Query's own dispatch does not know the whole state
export type CacheDispatch = ThunkDispatch<any, unknown, UnknownAction>

// biome-ignore lint/suspicious/noConfusingVoidType: RTK Query's type for a hook without an argument
type Argument<O extends AnyOperation> = Record<never, never> extends InputOf<O> ? InputOf<O> | void : InputOf<O>

/**
 * The part of an endpoint that the contract defines. Spread it and add tags:
 * `build.query({ ...fromOperation(listPlaylists), providesTags: ['Playlists'] })`. The argument is
 * `{ params, query, body }`.
 */
export function fromOperation<O extends AnyOperation>(operation: O, options?: CallOptions) {
  return {
    query: (input: Argument<O>): GatewayCall => ({ operation, input: (input ?? {}) as Input, options }),
    transformResponse: (response: unknown) => response as ResponseOf<O>,
  }
}

export interface Page<T> {
  items: T[]
  /** The total number of items, if the server sent it. */
  total?: number
  nextCursor?: string
}

/**
 * Like `fromOperation`, for paged lists: the answer with the total and the cursor of the next page.
 */
export function fromListOperation<O extends AnyOperation>(operation: O) {
  type Item = ResponseOf<O> extends readonly (infer T)[] ? T : never
  return {
    query: (input: Argument<O>): GatewayCall => ({ operation, input: (input ?? {}) as Input }),
    transformResponse: (response: unknown, meta: GatewayMeta | undefined): Page<Item> => ({
      items: response as Item[],
      ...meta,
    }),
  }
}
