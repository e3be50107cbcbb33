import type { getReportMail, ReportRefusal } from '@watchline/contracts/internal-operations'
import { limits } from '@watchline/contracts/limits'
import type { ResponseOf } from '@watchline/contracts/operation'
import { findReportDates, type Report } from '@watchline/contracts/reports'
import type { Person } from '@watchline/identity/people'
import type { EngagementContext } from '../context.ts'
import { mayReceiveReports, mayReportOn, toOwnWords } from '../rules/rights.ts'
import { formatCsv, nameCsvFile } from '../rules/task-report/format-csv.ts'
import type { SavedReport } from '../store/saved-reports.ts'
import { checkOwnerRights } from './check-owner-rights.ts'
import { checkScope } from './check-scope.ts'
import { findActivePeople } from './find-active-people.ts'
import type { ScopeFilter } from './find-scope.ts'
import { ignoreRefusal } from './ignore-refusal.ts'
import { makeTaskReport } from './make-task-report.ts'
import { nameReportFilters } from './name-report-filters.ts'
import { recordReportView } from './record-report-view.ts'

/**
 * The saved report as the recipient may see it now, or the reason why not. Its owner must still
 * have the right to it. The period counts from `day` (`2027-01-31`). Throws `unavailable` and
 * `overloaded` if this cannot be decided now.
 */
export async function makeReportMail(
  ctx: EngagementContext,
  reportId: string,
  recipientId: string,
  day: string,
): Promise<ResponseOf<typeof getReportMail>> {
  const refuse = (refusal: ReportRefusal) => ({ refusal })
  const saved = await ctx.savedReports.find(reportId)
  if (!saved) return refuse('deleted')
  if (!saved.recipientIds.includes(recipientId)) return refuse('no_recipient')
  const people = await findActivePeople(ctx, [saved.ownerId, recipientId])
  const [owner, recipient] = [saved.ownerId, recipientId].map(id => people.find(person => person.id === id))
  if (!owner || !(await checkOwnerRights(ctx, owner, saved.choice))) return refuse('owner_without_right')
  if (!recipient || !mayReceiveReports(owner, recipient)) return refuse('recipient_without_right')
  const report = await makeAs(ctx, recipient, saved, day)
  if (!report) return refuse('recipient_without_right')
  const { period, total, by, made_at } = report
  const content = joinUpTo(formatCsv(report), limits.reportMailMaxBytes)
  if (content !== undefined) await recordReportView(ctx, recipient, report, 'team_export')
  const file_name = nameCsvFile(by, ctx.calendar.dateOf(Date.parse(made_at)))
  return {
    ...{ period, total, name: saved.name, owner_name: owner.name },
    filters: await nameReportFilters(ctx, recipient, saved.choice, total),
    csv: content === undefined ? null : { file_name, content },
  }
}

/** Undefined if the person may not see the report. */
async function makeAs(
  ctx: EngagementContext,
  person: Person,
  { choice }: SavedReport,
  day: string,
): Promise<Report | undefined> {
  const { by, period, status, group_id, playlist_id } = choice
  const scope = toOwnWords(person, choice)
  if (!mayReportOn(person, scope)) return undefined
  const dates = findReportDates(period, day)
  const playlist_ids = playlist_id === undefined ? undefined : [playlist_id]
  const part = nameScope(person, scope)
  const isEverybody = part.supervisor_id === undefined && part.manager_id === undefined
  const checkMembers = isEverybody ? undefined : (members: readonly Person[]) => checkScope(ctx, part, members)
  return ignoreRefusal(
    makeTaskReport(ctx, person, { ...{ by, status, group_id, playlist_ids }, ...scope, ...dates }, checkMembers),
  )
}

/** The part of the organisation that the report is about, in words that any person can use. */
function nameScope({ id, role }: Person, scope: ScopeFilter): ScopeFilter {
  if (role === 'supervisor') return { supervisor_id: id }
  return role === 'manager' ? { manager_id: id } : scope
}

/** Undefined if the text has more bytes. */
function joinUpTo(pieces: Iterable<string>, maxBytes: number): string | undefined {
  let text = ''
  let bytes = 0
  for (const piece of pieces) {
    bytes += Buffer.byteLength(piece)
    if (bytes > maxBytes) return undefined
    text += piece
  }
  return text
}
