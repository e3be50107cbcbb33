import { getMember, getTeamHistory } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { fromOperation, gateway } from '../../api/gateway.ts'

export const analyticsApi = gateway.injectEndpoints({
  endpoints: build => ({
    getMember: build.query({ ...fromOperation(getMember), providesTags: ['Engagement'] }),
    getTeamHistory: build.query({ ...fromOperation(getTeamHistory), providesTags: ['Engagement'] }),
  }),
})

export const teamPageSize = 50

/** The first page without a search. Its figures stay visible above every search. */
export const firstTeamPage = { query: { limit: teamPageSize } }

/** As many members as one response can hold. */
export const largestTeamPage = { query: { limit: limits.pageMax } }

export const { useGetMemberQuery, useGetTeamHistoryQuery } = analyticsApi
