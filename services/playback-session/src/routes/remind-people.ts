import { remindPeople as operation } from '@watchline/contracts/assignments'
import { defineRoute } from '@watchline/kit/http/route'
import { requireAssignablePeople } from '../actions/find-assignable.ts'
import { type OpenTask, recordReminders } from '../actions/record-reminders.ts'
import type { PlaybackContext } from '../context.ts'

/** People who may assign to a person may also remind them, of tasks that others assigned, too. */
export const remindPeople = defineRoute(operation, async ({ body, person }, ctx: PlaybackContext) => {
  const personIds = await requireAssignablePeople(ctx, person, body.user_ids)
  const openTasks = await findOpenTasks(ctx, personIds)
  const { remindedIds, times } = await recordReminders(ctx, personIds, [...openTasks.values()], person.id)
  return {
    success: true as const,
    reminders: personIds.map(personId => {
      const task = openTasks.get(personId)
      const unchanged = task ? ('already_reminded' as const) : ('no_open_task' as const)
      return {
        user_id: personId,
        outcome: remindedIds.has(personId) ? ('reminded' as const) : unchanged,
        reminded_at: times.get(personId)?.toISOString() ?? null,
        playlist_id: task?.playlistId ?? null,
        title: task?.title ?? null,
      }
    }),
  }
})

/** Today's unfinished tasks, by person. An open task always precedes one completed today. */
async function findOpenTasks(ctx: PlaybackContext, personIds: readonly string[]): Promise<Map<string, OpenTask>> {
  const assignments = await ctx.assignments.findMostUrgentOpen(personIds, ctx.calendar.dayOf(ctx.clock.now()))
  const tasks = await Promise.all(
    personIds.map(async personId => {
      const assignment = assignments.get(personId)
      const playlist = assignment && (await ctx.playlists.cached.get(assignment.playlistId))
      return playlist && { personId, playlistId: playlist.id, title: playlist.title }
    }),
  )
  return new Map(tasks.filter(task => task !== undefined).map(task => [task.personId, task]))
}
