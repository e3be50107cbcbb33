import { limits } from '@watchline/contracts/limits'
import type { QueryInputOf } from '@watchline/contracts/operation'
import { exportReport, getReport, type Report } from '@watchline/contracts/reports'
import {
  createSavedReport,
  deleteSavedReport,
  getSavedReport,
  listSavedReports,
  sendSavedReport,
  updateSavedReport,
} from '@watchline/contracts/saved-reports'
import { callOperation } from '../../api/call-operation.ts'
import type { Failure } from '../../api/failure.ts'
import { fromOperation, gateway } from '../../api/gateway.ts'
import type { PageMeta } from '../../api/lists.ts'

/** A page of the rows of a report; the total is that of all rows. */
export interface ReportPage extends Report, Pick<PageMeta, 'nextCursor'> {
  rowCount?: number | undefined
}

/** Grouping, period and filters of a report, in the words of the API. */
export type ReportQuery = Omit<NonNullable<QueryInputOf<typeof getReport>>, 'limit' | 'cursor'>

export const reportPageSize = 100

export const reportsApi = gateway.injectEndpoints({
  endpoints: build => ({
    getReport: build.query({
      ...fromOperation(getReport),
      transformResponse: (answer: unknown, { total, ...meta }: PageMeta = {}): ReportPage => ({
        ...(answer as Report),
        ...meta,
        rowCount: total,
      }),
      providesTags: ['Engagement'],
    }),
    listSavedReports: build.query({ ...fromOperation(listSavedReports), providesTags: ['SavedReports'] }),
    getSavedReport: build.query({ ...fromOperation(getSavedReport), providesTags: ['SavedReports'] }),
    createSavedReport: build.mutation({ ...fromOperation(createSavedReport), invalidatesTags: ['SavedReports'] }),
    updateSavedReport: build.mutation({ ...fromOperation(updateSavedReport), invalidatesTags: ['SavedReports'] }),
    sendSavedReport: build.mutation(fromOperation(sendSavedReport)),
    deleteSavedReport: build.mutation({
      // A call that waited for an undo is sent while the page closes.
      ...fromOperation(deleteSavedReport, { keepalive: true }),
      invalidatesTags: ['SavedReports'],
    }),
  }),
})

export const {
  useGetReportQuery,
  useListSavedReportsQuery,
  useGetSavedReportQuery,
  useCreateSavedReportMutation,
  useUpdateSavedReportMutation,
  useSendSavedReportMutation,
  useDeleteSavedReportMutation,
} = reportsApi

/** The report with all rows, up to `limits.reportRowsMax`. */
export async function readWholeReport(query: ReportQuery): Promise<{ report: ReportPage } | { failure: Failure }> {
  const answer = await callOperation(getReport, { query: { ...query, limit: limits.reportRowsMax } })
  if (!answer.ok) return { failure: answer }
  const total = answer.headers.get('x-total-count')
  return { report: { ...answer.data, rowCount: total === null ? undefined : Number(total) } }
}

/** The path of the CSV file with all rows of the report. */
export function reportCsvPath(query: ReportQuery): string {
  const chosen = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return `${exportReport.path}?${new URLSearchParams(chosen)}`
}
