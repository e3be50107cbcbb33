import { limits } from '@watchline/contracts/limits'
import { listOnline, type OnlineSummary } from '@watchline/contracts/presence'
import { callOperation } from '../../api/call-operation.ts'
import { fromOperation, gateway } from '../../api/gateway.ts'

/** The online people read so far, latest activity first. */
export interface OnlinePage extends OnlineSummary {
  /** Whether there are more. */
  nextCursor?: string
}

export const presenceApi = gateway.injectEndpoints({
  endpoints: build => ({
    listOnline: build.query({
      ...fromOperation(listOnline),
      transformResponse: (summary: unknown, meta: { nextCursor?: string } | undefined): OnlinePage => ({
        ...(summary as OnlineSummary),
        nextCursor: meta?.nextCursor,
      }),
      providesTags: ['Online'],
    }),
    /** The first pages as one list. */
    listOnlinePages: build.query<OnlinePage, number>({
      queryFn: async (pages, { signal }) => {
        const users = new Map<string, OnlineSummary['users'][number]>()
        let summary: OnlineSummary | undefined
        let cursor: string | undefined
        for (let read = 0; read < pages && (read === 0 || cursor); read += 1) {
          const page = await callOperation(listOnline, { query: { ...everyoneOnline.query, cursor } }, { signal })
          if (!page.ok) {
            const { ok, ...error } = page
            return { error }
          }
          summary = page.data
          cursor = page.headers.get('x-next-cursor') ?? undefined
          // A person who moved while the pages were read may be on two of them.
          for (const user of page.data.users) if (!users.has(user.user_id)) users.set(user.user_id, user)
        }
        return { data: { ...summary!, users: [...users.values()], nextCursor: cursor } }
      },
      providesTags: ['Online'],
    }),
  }),
})

/** Banner and panel share one list, so that their numbers never differ. */
export const everyoneOnline = { query: { limit: limits.pageMax } }

export const { useListOnlineQuery, useListOnlinePagesQuery, useLazyListOnlinePagesQuery } = presenceApi
