import type { Report, ReportGrouping, ReportRow } from '@watchline/contracts/reports'
import { compareByName } from '@watchline/identity/name-key'
import type { Person } from '@watchline/identity/people'
import type { EngagementContext } from '../context.ts'
import { isSelected, listCountedTasks } from '../rules/task-report/list-tasks.ts'
import {
  addToTaskReport,
  listRows,
  presentSums,
  startTaskReport,
  type TaskReportQuery,
} from '../rules/task-report/sum-tasks.ts'
import { findPeriod } from './find-period.ts'
import { type ScopeFilter, walkEverybody, walkScope } from './find-scope.ts'
import { loadMembers } from './load-members.ts'
import { answersFromMemory } from './summarise-scope.ts'

type TaskReportContext = Pick<
  EngagementContext,
  | 'teams'
  | 'people'
  | 'groupMembers'
  | 'watchers'
  | 'projections'
  | 'taskFacts'
  | 'calendar'
  | 'clock'
  | 'everybodyTaskReports'
>

/** Few enough that other calls do not wait long for the calculation of one page. */
const peopleAtOnce = 200

/**
 * The report of the caller's scope, or of the part that they ask for. Reports of everybody come
 * from memory if one with the same query was made a short time ago. Throws `forbidden`, `not_found`
 * for a group that the caller may not see, and `unavailable` if the members of groups are unknown.
 * `checkMembers` returns those people of a page who are in the report; everybody always is.
 */
export function makeTaskReport(
  ctx: TaskReportContext,
  person: Person,
  request: TaskReportQuery & ScopeFilter,
  checkMembers?: (page: readonly Person[]) => Promise<Person[]>,
): Promise<Report> {
  const { supervisor_id, manager_id, by, from, until, playlist_ids, status, group_id } = request
  const query: TaskReportQuery = { by, from, until, playlist_ids: playlist_ids?.toSorted(), status, group_id }
  if (answersFromMemory(person, request)) return ctx.everybodyTaskReports.get(query)
  const pages = walkScope(ctx, person, peopleAtOnce, { supervisor_id, manager_id })
  return makeTaskReportOf(ctx, checkMembers ? checkPages(pages, checkMembers) : pages, query, person.id)
}

async function* checkPages(
  pages: AsyncIterable<Person[]>,
  checkMembers: (page: readonly Person[]) => Promise<Person[]>,
): AsyncGenerator<Person[]> {
  for await (const page of pages) yield await checkMembers(page)
}

export function makeEverybodyTaskReport(
  ctx: Omit<TaskReportContext, 'everybodyTaskReports'>,
  query: TaskReportQuery,
): Promise<Report> {
  return makeTaskReportOf(ctx, walkEverybody(ctx, peopleAtOnce), query)
}

/**
 * Reads people in pages, so memory holds one page of people and the sums. The viewer must be
 * allowed to see the group of the query, and gets rows of visible groups only. Without a viewer,
 * every group is allowed.
 */
async function makeTaskReportOf(
  ctx: Omit<TaskReportContext, 'everybodyTaskReports'>,
  pages: AsyncIterable<Person[]>,
  query: TaskReportQuery,
  viewerId?: string,
): Promise<Report> {
  const memberIds = query.group_id === undefined ? undefined : await ctx.groupMembers.list(query.group_id, viewerId)
  const now = ctx.clock.now()
  const { timeZone } = ctx.calendar
  const selection = {
    period: findPeriod(query, timeZone),
    playlistIds: query.playlist_ids && new Set(query.playlist_ids),
    status: query.status,
  }
  const draft = startTaskReport(query.by)
  for await (const page of pages) {
    const people = memberIds ? page.filter(({ id }) => memberIds.has(id)) : page
    if (people.length === 0) continue
    const ids = people.map(({ id }) => id)
    const [members, facts, groups] = await Promise.all([
      loadMembers(ctx, people),
      ctx.taskFacts.listOfMany(ids),
      query.by === 'group' ? ctx.groupMembers.listGroupsOf(ids, viewerId) : undefined,
    ])
    for (const member of members) {
      const source = { ...member, facts: facts.get(member.person.id) ?? [] }
      const tasks = listCountedTasks(source, selection.period, now).filter(task => isSelected(task, selection))
      addToTaskReport(draft, { ...member.person, groups: groups?.get(member.person.id) }, tasks)
    }
  }
  const rows = await Promise.all(listRows(draft).map(row => nameTeam(ctx, query.by, row)))
  return {
    by: query.by,
    period: { from: query.from ?? null, until: query.until ?? null },
    time_zone: timeZone,
    made_at: new Date(now).toISOString(),
    total: presentSums(draft.total),
    rows: rows.sort((left, right) => compareByName(toRowKey(left), toRowKey(right))),
  }
}

/** The row as cursors carry it. */
export function toRowKey({ id, name }: Pick<ReportRow, 'id' | 'name'>): { id: string; name: string } {
  return { id: id ?? '', name: name ?? '' }
}

async function nameTeam({ people }: Pick<TaskReportContext, 'people'>, by: ReportGrouping, row: ReportRow) {
  const supervisor = by === 'team' && row.id !== null ? await people.get(row.id) : undefined
  return supervisor ? { ...row, name: supervisor.name, email: supervisor.email } : row
}
