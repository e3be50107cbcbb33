import type { ReportMail } from '@watchline/contracts/internal-operations'
import { placeholderCases } from '@watchline/contracts/mail-settings'
import type { Role } from '@watchline/contracts/people'
import {
  formatCredited,
  leftOutOfReports,
  type ReportFigures,
  type ReportStatus,
  reportStatus,
} from '@watchline/contracts/reports'
import { type ComposedMail, composeWith, type MailFrame } from './compose-mail.ts'
import { formatPeriod, isEnglish } from './due-date.ts'
import { chooseCase, findCase, toLine } from './mail-values.ts'
import type { ParsedWording } from './mail-wording.ts'

interface ReportFrame extends MailFrame {
  reportId: string
  recipientRole: Role
}

/** The words of a mail with a saved report. */
export function composeReport(
  { name, owner_name, filters = {}, period, total, csv }: ReportMail,
  wording: ParsedWording,
  { reportId, recipientRole, ...frame }: ReportFrame,
): ComposedMail {
  const file = csv
    ? 'All rows are in the attached file.'
    : 'The file is too large for a mail. Download it in Watchline.'
  const message = [...describeFilters(filters), describeFigures(total, period), leftOutOfReports, file].join(' ')
  return composeWith('saved_report', wording, frame, {
    texts: {
      ...{ name: toLine(frame.recipientName), title: 'Report', message },
      ...{ report: toLine(name), sender: toLine(owner_name) },
      ...describePeriod(period, wording.language),
      ...listFigures(total),
      ...listFilters(filters),
      link: `${frame.publicUrl}${pathOf(recipientRole, reportId)}`,
    },
    fallbacks: isEnglish(wording.language) ? { period: 'all time' } : {},
    cases: { file: chooseCase(csv !== null), state: findCase('state', filters.status) },
  })
}

/** The figures as placeholders, for sentences in other languages. */
function listFigures(total: ReportFigures) {
  const { completed_rate, credited_seconds, credited_in_period } = total
  const counts = Object.fromEntries(reportStatus.options.map(state => [state, String(total[state])]))
  return {
    ...(counts as Record<ReportStatus, string>),
    ...{ task_count: String(total.tasks), people_count: String(total.people) },
    ...(completed_rate !== null && { completed_rate: `${completed_rate}%` }),
    credited_time: formatCredited(credited_seconds),
    ...(credited_in_period !== undefined && { credited_in_period: formatCredited(credited_in_period) }),
  }
}

type ReportFilters = NonNullable<ReportMail['filters']>

/**
 * The filters as placeholders, without those that are not set. One whose name is not known must not
 * look like none.
 */
function listFilters({ group_name, playlist_title, supervisor_name, manager_name }: ReportFilters) {
  const nameOf = (name: string | null) => toLine(name ?? '') || unknownName
  return {
    ...(group_name !== undefined && { group: nameOf(group_name) }),
    ...(playlist_title !== undefined && { playlist: nameOf(playlist_title) }),
    ...(supervisor_name !== undefined && { supervisor: nameOf(supervisor_name) }),
    ...(manager_name !== undefined && { manager: nameOf(manager_name) }),
  }
}

/** Stands for a name that the recipient may not know, in every language. */
const unknownName = '…'

/** `Only tasks of the group “Warehouse”, in the state “overdue”.` Nothing without a filter. */
function describeFilters({
  group_name,
  playlist_title,
  supervisor_name,
  manager_name,
  status,
}: ReportFilters): string[] {
  const parts = [
    ...describeName(group_name, name => `of the group “${name}”`, 'of one group'),
    ...describeName(playlist_title, title => `of the playlist “${title}”`, 'of one playlist'),
    ...describeName(supervisor_name, name => `of the team of ${name}`, 'of one team'),
    ...describeName(manager_name, name => `of the teams of ${name}`, 'of the teams of one manager'),
    ...(status === undefined ? [] : [`in the state “${placeholderCases.state[status]}”`]),
  ]
  return parts.length > 0 ? [`Only tasks ${parts.join(', ')}.`] : []
}

/** Undefined: no filter; null: a filter without a name. */
function describeName(name: string | null | undefined, describe: (name: string) => string, nameless: string): string[] {
  if (name === undefined) return []
  return [name === null ? nameless : describe(toLine(name))]
}

/**
 * "12 tasks of 5 people: 8 completed in time, 4 open. Completed: 66%. Credited time: 3:20:11, of
 * this in the period: 1:05:00."
 */
function describeFigures(total: ReportFigures, { from, until }: ReportMail['period']): string {
  if (total.tasks === 0) return 'No task is in this report.'
  const tasks = total.tasks === 1 ? '1 task' : `${total.tasks} tasks`
  const people = total.people === 1 ? '1 person' : `${total.people} people`
  const counts = reportStatus.options.flatMap(state =>
    total[state] > 0 ? `${total[state]} ${placeholderCases.state[state]}` : [],
  )
  const rate = total.completed_rate === null ? '' : ` Completed: ${total.completed_rate}%.`
  const { credited_seconds, credited_in_period } = total
  // Without a period both are the same.
  const hasPart = credited_in_period !== undefined && (from !== null || until !== null)
  const inPeriod = hasPart ? `, of this in the period: ${formatCredited(credited_in_period)}` : ''
  return `${tasks} of ${people}: ${counts.join(', ')}.${rate} Credited time: ${formatCredited(credited_seconds)}${inPeriod}.`
}

/** Absent for the report of all time. */
function describePeriod({ from, until }: ReportMail['period'], language: string | undefined): { period?: string } {
  return from && until ? { period: formatPeriod(from, until, language) } : {}
}

function pathOf(role: Role, reportId: string): string {
  if (role === 'admin') return `/admin?${new URLSearchParams({ tab: 'reports', report: reportId })}`
  const tab = role === 'manager' ? 'analytics' : 'engagement'
  return `/dashboard?${new URLSearchParams({ tab, view: 'reports', report: reportId })}`
}
