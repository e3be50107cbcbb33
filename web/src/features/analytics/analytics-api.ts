import { getEngagementDashboard, getMember, getTeamHistory } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { fromListOperation, fromOperation, gateway } from '../../api/gateway.ts'

export const analyticsApi = gateway.injectEndpoints({
  endpoints: build => ({
    getMember: build.query({ ...fromOperation(getMember), providesTags: ['Engagement'] }),
    getEngagementDashboard: build.query({ ...fromListOperation(getEngagementDashboard), providesTags: ['Engagement'] }),
    getTeamHistory: build.query({ ...fromOperation(getTeamHistory), providesTags: ['Engagement'] }),
  }),
})

export const teamPageSize = 50

/** The part of the organisation that a director looks at; empty for everybody. */
export interface TeamScope {
  supervisor_id?: string | undefined
  manager_id?: string | undefined
}

/** The first page without a search. Its figures stay visible above every search. */
export const firstTeamPage = { query: { limit: teamPageSize } }

/** As many members as one response can hold. */
export const largestTeamPage = { query: { limit: limits.pageMax } }

export const { useGetEngagementDashboardQuery, useGetMemberQuery, useGetTeamHistoryQuery } = analyticsApi
