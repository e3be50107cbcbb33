import { z } from 'zod'
import { scopeFilter } from './engagement.ts'
import { id, idList, page, seconds, time } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'
import { staff } from './people.ts'
import { periodDate } from './records.ts'

const service = 'engagement'

/**
 * The rows of a report. group: the groups by whose members the caller may filter, with everybody
 * who is a member now. organisation: one row for the whole scope of the caller.
 */
export const reportGrouping = z.enum(['playlist', 'team', 'group', 'person', 'organisation'])
export type ReportGrouping = z.infer<typeof reportGrouping>

/**
 * The state of a task in a report, as it is now. Each task has exactly one. completed: by watching,
 * at any time; it stays completed if the playlist grows later, as in records. overdue: not
 * completed, and the due date has passed. open: not completed, and not overdue. missed: an
 * occurrence of a recurring task that ended without a completion. marked_done and exempt: closed by
 * hand.
 */
export const reportStatus = z.enum([
  'completed_in_time',
  'completed_late',
  'completed_without_due',
  'open',
  'overdue',
  'missed',
  'marked_done',
  'exempt',
])
export type ReportStatus = z.infer<typeof reportStatus>

/**
 * A period that moves with the day on which the report is made. `last_7_days` and `last_30_days`
 * end with the day before, so that weekly reports leave no hour out; the `this_…` periods end with
 * the day.
 */
export const reportPeriod = z.enum([
  'all',
  'last_7_days',
  'last_30_days',
  'last_month',
  'this_month',
  'this_quarter',
  'this_year',
])
export type ReportPeriod = z.infer<typeof reportPeriod>

/**
 * The first and the last day of a period on the day `today` (`2026-11-20`); none without a bound.
 */
export function findReportDates(period: ReportPeriod, today: string): { from?: string; until?: string } {
  const [year, month, day] = today.split('-').map(Number) as [number, number, number]
  // Months and days beyond the end of the year or the month belong to the next, as in `Date.UTC`.
  const dateOf = (ofMonth: number, ofDay: number) =>
    new Date(Date.UTC(year, ofMonth - 1, ofDay)).toISOString().slice(0, 10)
  switch (period) {
    case 'all':
      return {}
    case 'last_7_days':
      return { from: dateOf(month, day - 7), until: dateOf(month, day - 1) }
    case 'last_30_days':
      return { from: dateOf(month, day - 30), until: dateOf(month, day - 1) }
    case 'last_month':
      return { from: dateOf(month - 1, 1), until: dateOf(month, 0) }
    case 'this_month':
      return { from: dateOf(month, 1), until: today }
    case 'this_quarter':
      return { from: dateOf(month - ((month - 1) % 3), 1), until: today }
    case 'this_year':
      return { from: dateOf(1, 1), until: today }
  }
}

/** Page, print and mail say it, because the records of the people have these tasks. */
export const leftOutOfReports =
  'Left out: tasks that were withdrawn, and people who are deactivated or no longer trainees.'

const taskCount = z.number().int().min(0)

/**
 * The sums over the tasks of a row. The counts by state add up to `tasks`. The rows add up to the
 * total, except those of groups: a member of two groups counts in both rows, and once in total.
 */
export const reportFigures = z.object({
  /** The number of people with such a task. A person with tasks in two rows counts in both. */
  people: taskCount,
  tasks: taskCount,
  completed_in_time: taskCount,
  completed_late: taskCount,
  completed_without_due: taskCount,
  open: taskCount,
  overdue: taskCount,
  missed: taskCount,
  marked_done: taskCount,
  exempt: taskCount,
  /**
   * The credited seconds of the videos of these tasks, each second once, with two decimals: those
   * of the record and of the export.
   */
  credited_seconds: seconds,
  /**
   * The share of tasks that were completed by watching. Whole percent, truncated. Exempt tasks do
   * not count; null if there is no other.
   */
  completed_rate: z.number().min(0).max(100).nullable(),
  /**
   * Those of the credited seconds that were credited in the period of the report, as in the
   * record; all of them without a period. Absent in answers of versions before. It stays the last
   * column of the CSV, so that columns keep their positions.
   */
  credited_in_period: seconds.optional(),
})
export type ReportFigures = z.infer<typeof reportFigures>

export const reportRow = reportFigures.extend({
  /**
   * The playlist, supervisor, group or person. Null for people without a supervisor, for those who
   * are in no group of the rows, and for everybody.
   */
  id: id.nullable(),
  /** Null as `id`. */
  name: z.string().nullable(),
  /** Only of people and supervisors. */
  email: z.string().nullable(),
})
export type ReportRow = z.infer<typeof reportRow>

const hundredthsPerHour = 360_000

/**
 * Credited time as `h:mm:ss`, with hundredths if there are any: `1:02:05.50`. Nothing is rounded,
 * so rows that a person reads add up to the total.
 */
export function formatCredited(credited: number): string {
  const hundredths = Math.round(credited * 100)
  const padded = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const inHour = hundredths % hundredthsPerHour
  const hundredthsInSecond = hundredths % 100
  const at = `${Math.floor(hundredths / hundredthsPerHour)}:${padded(inHour / 6_000)}:${padded((inHour % 6_000) / 100)}`
  return hundredthsInSecond === 0 ? at : `${at}.${padded(hundredthsInSecond)}`
}

const reportFields = {
  by: reportGrouping.default('playlist'),
  /**
   * The first and the last day of the period, in the time zone of the organisation. The report
   * contains the tasks that were open or were closed at any moment of the period.
   */
  from: periodDate.optional(),
  until: periodDate.optional(),
  /** Only tasks of these playlists: ids separated by commas. */
  playlist_ids: idList.optional(),
  status: reportStatus.optional(),
  /** Only the tasks of people who are members of this group now. */
  group_id: id.optional(),
  ...scopeFilter,
}

const isInOrder = ({ from, until }: { from?: string | undefined; until?: string | undefined }) =>
  !from || !until || from <= until
const wrongOrder = { path: ['until'], error: 'must not be before the first day' }

export const report = z.object({
  by: reportGrouping,
  /** Both dates are included; null stands for no bound. */
  period: z.object({ from: z.iso.date().nullable(), until: z.iso.date().nullable() }),
  time_zone: z.string(),
  /**
   * The time at which the figures were calculated; those of everybody may be
   * as old as `limits.figuresMaxAgeMs`.
   */
  made_at: time,
  /** Of all rows, on every page. */
  total: reportFigures,
  /** By name. */
  rows: z.array(reportRow),
})
export type Report = z.infer<typeof report>

export const getReport = defineOperation({
  name: 'getReport',
  service,
  method: 'GET',
  path: '/engagement/report',
  callers: staff,
  summary:
    'A report of the tasks in the caller’s scope, by playlist, team, group, person, or as a whole: the tasks that people have now, and the ended occurrences of recurring ones. Withdrawn tasks, earlier attempts before a reset, and people who are deactivated or no longer trainees are not in it.',
  query: z
    .object({
      ...page.shape,
      /** One answer may have all rows of a print, so that they belong to its total. */
      limit: z.coerce.number().int().min(1).max(limits.reportRowsMax).default(limits.pageDefault),
      ...reportFields,
    })
    .refine(isInOrder, wrongOrder),
  response: report,
  errors: ['forbidden', 'not_found', 'invalid', 'overloaded', 'unavailable'],
})

export const exportReport = defineOperation({
  name: 'exportReport',
  service,
  method: 'GET',
  path: '/engagement/report/csv',
  callers: staff,
  summary: 'The same report as CSV (UTF-8 with BOM): all rows, then the total.',
  query: z.object(reportFields).refine(isInOrder, wrongOrder),
  response: z.null(),
  mediaType: 'text/csv',
  errors: ['forbidden', 'not_found', 'invalid', 'too_many', 'overloaded', 'unavailable'],
})
