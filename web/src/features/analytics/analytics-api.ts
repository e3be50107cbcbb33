import { getMember, getTeam, getTeamHistory, type TeamAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { fromOperation, gateway } from '../../api/gateway.ts'

interface PageMeta {
  /** How many members the question has in all, where the server says so. */
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

/** The first page of everybody, whose head figures stand above every search. */
export const everybody = { query: { limit: teamPageSize } }

/** As many as one answer holds. */
export const mostFigures = { query: { limit: limits.pageMax } }

export const { useGetTeamQuery, useGetMemberQuery, useGetTeamHistoryQuery } = analyticsApi
