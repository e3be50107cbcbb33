import { remindPeople as operation } from '@watchline/contracts/assignments'
import { defineRoute } from '@watchline/kit/http/route'
import { requireAssignablePeople } from '../actions/find-assignable.ts'
import { type OpenTask, recordReminders } from '../actions/record-reminders.ts'
import type { PlaybackContext } from '../context.ts'
import { findTodaysAssignment } from '../rules/assignment.ts'

/** People who may assign to a person may also remind them, of tasks that others assigned, too. */
export const remindPeople = defineRoute(operation, async ({ body, person }, ctx: PlaybackContext) => {
  const personIds = await requireAssignablePeople(ctx, person, body.user_ids)
  const found = await Promise.all(personIds.map(personId => findOpenTask(ctx, personId)))
  const openTasks = found.filter(task => task !== undefined)
  const { remindedIds, times } = await recordReminders(ctx, personIds, openTasks, person.id)
  return {
    success: true as const,
    reminders: personIds.map((personId, index) => {
      const task = found[index]
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

/** Today's task of a person while it is unfinished. */
async function findOpenTask(ctx: PlaybackContext, personId: string): Promise<OpenTask | undefined> {
  const day = ctx.calendar.dayOf(ctx.clock.now())
  const assignment = findTodaysAssignment(await ctx.assignments.findTodaysCandidates(personId, day), day)
  if (assignment?.status !== 'assigned') return undefined
  const playlist = await ctx.playlists.cached.get(assignment.playlistId)
  return playlist && { personId, playlistId: playlist.id, title: playlist.title }
}
