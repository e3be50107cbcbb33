import { listTasksAtRisk as operation, type TaskAtRisk } from '@watchline/contracts/engagement'
import type { QueryOf } from '@watchline/contracts/operation'
import { compareByName } from '@watchline/identity/name-key'
import { cutPage, pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { z } from 'zod'
import { findByName, findTasksAtRisk } from '../actions/find-tasks-at-risk.ts'
import type { MemberTasks } from '../actions/load-members.ts'
import { rankNames } from '../actions/rank-names.ts'
import { recordDetailView } from '../actions/record-detail-view.ts'
import type { EngagementContext } from '../context.ts'
import { findRisks, type RiskyTask } from '../rules/risk.ts'
import { pageRisks, pickMembers, type RiskFilter, type RiskList, type RiskPosition } from '../rules/risk-list.ts'
import { orderRisks } from '../rules/risk-order.ts'
import { isoTime } from '../rules/summary.ts'

type Query = QueryOf<typeof operation>

/** The last task of a page. */
const urgencyCursor = z.object({
  personId: z.string().max(64),
  playlistId: z.string().max(64),
  assignedAt: z.number().nullable(),
  dueAt: z.number().nullable(),
})
const textCursor = urgencyCursor.extend({ value: z.string().max(1_000) })
const cursors = {
  due: urgencyCursor,
  name: textCursor,
  playlist: textCursor,
  completion: urgencyCursor.extend({ value: z.number() }),
}

export const listTasksAtRisk = defineRoute(operation, async ({ query, person }, ctx: EngagementContext) => {
  const { group_id, sort, order: direction } = query
  const after = readCursor<RiskPosition>(query.cursor, cursors[sort])
  const [{ list, findMembers }, memberIds] = await Promise.all([
    findTasksAtRisk(ctx, person, query),
    group_id === undefined ? undefined : ctx.groupMembers.list(group_id, person.id),
  ])
  const ranks = sort === 'name' || sort === 'playlist' ? await rankNames(list, sort) : undefined
  const order = orderRisks(list, { sort, direction, ranks, compareByName })
  const page = pageRisks(list, toFilter(list, query, memberIds), { limit: query.limit + 1, order, after })
  const { items, next } = cutPage(page.tasks, query.limit, order.toPosition)
  const members = await findMembers([...new Set(items.map(({ personId }) => personId))])
  const tasks = presentTasks(items, members, ctx.clock.now())
  const listed = new Set(tasks.map(task => task.user_id))
  await recordDetailView(
    ctx,
    person,
    [...listed].map(id => ({ id })),
    'record',
  )
  return new Reply(
    { counts: page.counts, tasks },
    { headers: pageHeaders({ total: page.total, ...(next && { next }) }) },
  )
})

function toFilter(
  list: RiskList,
  { reason, playlist_id, due_from, due_until, search }: Query,
  memberIds: ReadonlySet<string> | undefined,
): RiskFilter {
  const peopleByName = search ? findByName(list, search) : undefined
  return {
    ...{ reason, playlistId: playlist_id },
    dueFrom: due_from === undefined ? undefined : Date.parse(due_from),
    dueUntil: due_until === undefined ? undefined : Date.parse(due_until),
    listedPeople: memberIds ? pickMembers(list, memberIds, peopleByName) : peopleByName,
  }
}

/** The tasks as they are now; those that are not at risk any more are left out. */
function presentTasks(tasks: readonly RiskyTask[], loaded: readonly MemberTasks[], now: number): TaskAtRisk[] {
  const members = new Map(loaded.map(member => [member.person.id, member]))
  return tasks.flatMap(({ personId, playlistId }) => {
    const member = members.get(personId)
    const task = member?.openTasks.find(({ playlist }) => playlist.id === playlistId)
    const risks = task && findRisks(task, member!.watches, now)
    if (!member || !risks) return []
    const { id, name, email, emailVerified, picture } = member.person
    return [
      {
        ...{ user_id: id, name, email, email_verified: emailVerified, picture },
        ...{ playlist_id: playlistId, playlist_title: task.playlist.title, reasons: risks.reasons },
        assigned_at: isoTime(task.assignedAt),
        due: isoTime(task.dueAt),
        ...(task.overdueAt !== task.dueAt && { grace_until: isoTime(task.overdueAt) }),
        completion_rate: risks.completionRate,
      },
    ]
  })
}
