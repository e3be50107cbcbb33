import { getMember, getTeam, getTeamHistory, type TeamAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { fromOperation, gateway } from '../../api/gateway.ts'

interface PageMeta {
  /** The number of members who match the query, if the server counts them. */
  total?: number
  nextCursor?: string
}
export type TeamPage = TeamAnalytics & PageMeta

export const analyticsApi = gateway.injectEndpoints({
  endpoints: build => ({
    getTeam: build.query({
      ...fromOperation(getTeam),
      transformResponse: (team: unknown, meta: PageMeta | undefined): TeamPage => ({
        ...(team as TeamAnalytics),
        ...meta,
      }),
      providesTags: ['Engagement'],
    }),
    getMember: build.query({ ...fromOperation(getMember), providesTags: ['Engagement'] }),
    getTeamHistory: build.query({ ...fromOperation(getTeamHistory), providesTags: ['Engagement'] }),
  }),
})

export const teamPageSize = 50

/** The first page without a search. Its figures stay visible above every search. */
export const firstTeamPage = { query: { limit: teamPageSize } }

/** As many members as one response can hold. */
export const largestTeamPage = { query: { limit: limits.pageMax } }

export const { useGetTeamQuery, useGetMemberQuery, useGetTeamHistoryQuery } = analyticsApi
