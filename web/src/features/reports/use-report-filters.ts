import { reportGrouping, reportStatus } from '@watchline/contracts/reports'
import type { ReportChoice, SavedReport } from '@watchline/contracts/saved-reports'
import { z } from 'zod'
import { useGetMailChoicesQuery } from '../../api/mail-choices.ts'
import { parseDay } from '../../ui/dates/parse-day.ts'
import { useRememberedChoice } from '../../ui/lists/remembered-choice.ts'
import { findPeriod, findToday, type PeriodChoice, periodChoices } from './report-period.ts'
import type { ReportQuery } from './reports-api.ts'

/** The part of the organisation that a report is about; empty for the person's whole scope. */
export interface ReportScope {
  supervisor_id?: string | undefined
  manager_id?: string | undefined
}

const noFields = { by: 'playlist', period: 'all', from: '', until: '', playlistId: '', groupId: '', status: '' }
export type ReportFields = typeof noFields
const text = z.string()
const rememberedFields = z.object({
  ...{ by: reportGrouping, period: z.enum(periodChoices), status: reportStatus.or(z.literal('')) },
  ...{ from: text, until: text, playlistId: text, groupId: text },
}) satisfies z.ZodType<ReportFields>

/** The choices above a report, which the browser remembers, and the query that follows. */
export function useReportFilters(scope: ReportScope, hasOneTeam: boolean) {
  const [fields, setFields] = useRememberedChoice<ReportFields>('report-filter', rememberedFields, noFields)
  const dates = { from: parseDay(fields.from), until: parseDay(fields.until) }
  const { data: mail, isLoading: isZoneLoading } = useGetMailChoicesQuery()
  const period = fields.period as PeriodChoice
  const { from, until } = findPeriod(period, findToday(mail?.organisation_time_zone), dates)
  const chosenBy = reportGrouping.parse(fields.by)
  const by = chosenBy === 'team' && hasOneTeam ? 'playlist' : chosenBy
  const choice: Omit<ReportChoice, 'period'> = {
    ...scope,
    by,
    playlist_id: fields.playlistId || undefined,
    group_id: fields.groupId || undefined,
    status: reportStatus.safeParse(fields.status).data,
  }
  const { playlist_id: playlist_ids, ...filters } = choice
  const query: ReportQuery = { ...filters, playlist_ids, from, until }
  const change = (field: keyof ReportFields) => (value: string) => setFields({ ...fields, [field]: value })
  const fill = ({ by: rows, period, playlist_id = '', group_id = '', status }: SavedReport) =>
    setFields({ ...noFields, by: rows, period, playlistId: playlist_id, groupId: group_id, status: status ?? '' })
  return {
    ...{ fields, change, fill, query },
    /** The part that a saved report stores; its period is chosen when it is saved. */
    choice,
    /** The days of the period follow when the time zone of the organisation is known. */
    isWaiting: isZoneLoading && period !== 'all' && period !== 'dates',
    isReversed: from !== undefined && until !== undefined && from > until,
  }
}
