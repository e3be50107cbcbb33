import * as contract from '@watchline/contracts/internal-operations'
import { limits } from '@watchline/contracts/limits'
import { teamKey } from '@watchline/identity/teams'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import { checkScope } from '../actions/check-scope.ts'
import { loadMembers } from '../actions/load-members.ts'
import type { EngagementContext } from '../context.ts'
import { compareUrgency, isDueSoon, isOverdue } from '../rules/risk.ts'

/**
 * A team has few people, so it is read as it is now and not from the figures of a scope. Auth is
 * asked for its members; without auth there is no answer.
 */
export const getTeamDigest = defineInternalRoute(
  contract.getTeamDigest,
  async ({ params: { supervisorId } }, ctx: EngagementContext) => {
    const now = ctx.clock.now()
    const people = (await ctx.teams.get(teamKey(supervisorId))) ?? []
    const members = await loadMembers(ctx, await checkScope(ctx, { supervisor_id: supervisorId }, people))
    const tasks = members
      .flatMap(({ person, openTasks }) => openTasks.map(task => ({ ...task, person, personId: person.id })))
      .flatMap(task => (task.dueAt === null ? [] : { ...task, dueAt: task.dueAt, playlistId: task.playlist.id }))
      .filter(task => isDueSoon(task, now))
      .sort(compareUrgency)
    const overdue = tasks.filter(task => isOverdue(task, now)).length
    const inGrace = tasks.filter(task => task.dueAt <= now && !isOverdue(task, now)).length
    return {
      overdue,
      in_grace: inGrace,
      due_soon: tasks.length - overdue - inGrace,
      tasks: tasks.slice(0, limits.digestTasksMax).map(({ person, playlist, dueAt }) => ({
        ...{ person_id: person.id, person_name: person.name },
        ...{ playlist_id: playlist.id, playlist_title: playlist.title, due: new Date(dueAt).toISOString() },
      })),
    }
  },
)
