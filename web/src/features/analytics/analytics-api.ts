import { getEngagementDashboard, getMember, getTeamHistory, listTasksAtRisk } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { QueryOf, ResponseOf } from '@watchline/contracts/operation'
import { fromListOperation, fromOperation, gateway } from '../../api/gateway.ts'
import { firstTeamFigures, type PageMeta } from '../../api/lists.ts'

/** A page of the open tasks at risk; the counts are those of the whole list. */
export type TasksAtRiskPage = ResponseOf<typeof listTasksAtRisk> & PageMeta

export const analyticsApi = gateway.injectEndpoints({
  endpoints: build => ({
    getMember: build.query({ ...fromOperation(getMember), providesTags: ['Engagement'] }),
    getEngagementDashboard: build.query({ ...fromListOperation(getEngagementDashboard), providesTags: ['Engagement'] }),
    listTasksAtRisk: build.query({
      ...fromOperation(listTasksAtRisk),
      transformResponse: (answer: unknown, meta: PageMeta | undefined): TasksAtRiskPage => ({
        ...(answer as ResponseOf<typeof listTasksAtRisk>),
        ...meta,
      }),
      providesTags: ['Engagement'],
    }),
    getTeamHistory: build.query({ ...fromOperation(getTeamHistory), providesTags: ['Engagement'] }),
  }),
})

export const teamPageSize = firstTeamFigures.query.limit

/** The part of the organisation that a director looks at; empty for everybody. */
export interface TeamScope {
  supervisor_id?: string | undefined
  manager_id?: string | undefined
}

/** The filters of the tasks at risk, in the words of the API. */
export type RiskFilter = Omit<QueryOf<typeof listTasksAtRisk>, 'limit' | 'cursor' | 'sort' | 'order'>

/** As many members as one response can hold. */
export const largestTeamPage = { query: { limit: limits.pageMax } }

export const { useGetEngagementDashboardQuery, useGetMemberQuery, useGetTeamHistoryQuery, useListTasksAtRiskQuery } =
  analyticsApi
