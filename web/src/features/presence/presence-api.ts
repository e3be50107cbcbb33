import { limits } from '@watchline/contracts/limits'
import { listOnline, type OnlineSummary } from '@watchline/contracts/presence'
import { callOperation } from '../../api/call-operation.ts'
import { fromOperation, gateway } from '../../api/gateway.ts'
import type { OnlineQuery } from './online-filters.tsx'

/** The online people read so far, latest activity first, who match the filters. */
export interface OnlinePage extends OnlineSummary {
  /** The number of people who match, also on pages that are not read yet. */
  matchCount?: number
  /** The cursor of the next page, if there is one. */
  nextCursor?: string
}

interface PagesQuery {
  pageCount: number
  filter: OnlineQuery
}

export const presenceApi = gateway.injectEndpoints({
  endpoints: build => ({
    listOnline: build.query({
      ...fromOperation(listOnline),
      transformResponse: (summary: unknown, meta: { total?: number; nextCursor?: string } | undefined): OnlinePage => ({
        ...(summary as OnlineSummary),
        matchCount: meta?.total,
        nextCursor: meta?.nextCursor,
      }),
      providesTags: ['Online'],
    }),
    /** The first pages as one list. */
    listOnlinePages: build.query<OnlinePage, PagesQuery>({
      queryFn: async ({ pageCount, filter }, { signal }) => {
        const users = new Map<string, OnlineSummary['users'][number]>()
        let summary: OnlineSummary | undefined
        let matchCount: number | undefined
        let cursor: string | undefined
        for (let readCount = 0; readCount < pageCount && (readCount === 0 || cursor); readCount += 1) {
          const page = await callOperation(
            listOnline,
            { query: { ...everyoneOnline.query, ...filter, cursor } },
            { signal },
          )
          if (!page.ok) {
            const { ok, ...error } = page
            return { error }
          }
          summary = page.data
          matchCount = Number(page.headers.get('x-total-count') ?? page.data.total_online)
          cursor = page.headers.get('x-next-cursor') ?? undefined
          // New activity between two reads can put a person on both pages.
          for (const user of page.data.users) if (!users.has(user.user_id)) users.set(user.user_id, user)
        }
        return { data: { ...summary!, users: [...users.values()], matchCount, nextCursor: cursor } }
      },
      providesTags: ['Online'],
    }),
  }),
})

/** Banner and panel share one list, so that their numbers never differ. */
export const everyoneOnline = { query: { limit: limits.pageMax } }

export const { useListOnlineQuery, useListOnlinePagesQuery, useLazyListOnlinePagesQuery } = presenceApi
