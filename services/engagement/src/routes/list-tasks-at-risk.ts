import { listTasksAtRisk as operation, type TaskAtRisk } from '@watchline/contracts/engagement'
import type { QueryOf } from '@watchline/contracts/operation'
import { nameKey } from '@watchline/identity/name-key'
import type { Person } from '@watchline/identity/people'
import { cutPage, pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { z } from 'zod'
import { pickFromScope } from '../actions/find-scope.ts'
import { loadMembers } from '../actions/load-members.ts'
import { summariseScope } from '../actions/summarise-scope.ts'
import type { EngagementContext } from '../context.ts'
import { ratePlaylist } from '../rules/overview.ts'
import { compareUrgency, findRisks, type RiskyTask, type UrgencyKey } from '../rules/risk.ts'
import { isoTime } from '../rules/summary.ts'
import { addRisks, emptyRisks, type ScopeFigures } from '../rules/team-figures.ts'

type Query = QueryOf<typeof operation>

/** The last task of a page. */
const urgencyCursor = z.object({
  personId: z.string().max(64),
  playlistId: z.string().max(64),
  assignedAt: z.number().nullable(),
  dueAt: z.number().nullable(),
})

export const listTasksAtRisk = defineRoute(operation, async ({ query, person }, ctx: EngagementContext) => {
  const after = readCursor(query.cursor, urgencyCursor)
  const found = sortByUrgency(await summariseScope(ctx, person, query)).filter(task => matches(task, query))
  const listed = query.reason ? found.filter(({ reasons }) => reasons.includes(query.reason!)) : found
  const remaining = after ? listed.filter(task => compareUrgency(task, after) > 0) : listed
  const { items, next } = cutPage(remaining.slice(0, query.limit + 1), query.limit, toKey)
  return new Reply(
    { counts: countTasks(found), tasks: await presentTasks(ctx, person, items, query) },
    { headers: pageHeaders({ total: listed.length, ...(next && { next }) }) },
  )
})

const sorted = new WeakMap<ScopeFigures, RiskyTask[]>()

/** The figures of everybody answer many calls, and are sorted for the first one. */
function sortByUrgency(figures: ScopeFigures): RiskyTask[] {
  const tasks = sorted.get(figures) ?? figures.tasksAtRisk.toSorted(compareUrgency)
  sorted.set(figures, tasks)
  return tasks
}

function matches({ name, playlistId, dueAt }: RiskyTask, { playlist_id, due_from, due_until, search }: Query) {
  if (playlist_id !== undefined && playlistId !== playlist_id) return false
  if (due_from !== undefined && (dueAt === null || dueAt < Date.parse(due_from))) return false
  if (due_until !== undefined && (dueAt === null || dueAt > Date.parse(due_until))) return false
  return !search || nameKey(name).includes(nameKey(search))
}

function countTasks(tasks: readonly RiskyTask[]) {
  const risks = emptyRisks()
  for (const { reasons } of tasks) addRisks(risks, reasons)
  return { tasks: tasks.length, people: new Set(tasks.map(({ personId }) => personId)).size, ...risks }
}

function toKey({ personId, playlistId, assignedAt, dueAt }: RiskyTask): UrgencyKey {
  return { personId, playlistId, assignedAt, dueAt }
}

/** The tasks as they are now; those that are not at risk any more are left out. */
async function presentTasks(
  ctx: EngagementContext,
  person: Person,
  tasks: readonly RiskyTask[],
  query: Query,
): Promise<TaskAtRisk[]> {
  const people = await pickFromScope(
    ctx,
    person,
    tasks.map(({ personId }) => personId),
    query,
  )
  const members = new Map((await loadMembers(ctx, people)).map(member => [member.person.id, member]))
  return tasks.flatMap(({ personId, playlistId }) => {
    const member = members.get(personId)
    const task = member?.openTasks.find(({ playlist }) => playlist.id === playlistId)
    const reasons = task ? findRisks(task, member!.watches, ctx.clock.now()) : []
    if (!member || !task || reasons.length === 0) return []
    const { id, name, email, picture } = member.person
    return [
      {
        ...{ user_id: id, name, email, picture },
        ...{ playlist_id: playlistId, playlist_title: task.playlist.title, reasons },
        assigned_at: isoTime(task.assignedAt),
        due: isoTime(task.dueAt),
        completion_rate: ratePlaylist(task.playlist, member.watches),
      },
    ]
  })
}
