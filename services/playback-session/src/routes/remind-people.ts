import { remindPeople as operation } from '@watchline/contracts/assignments'
import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { findSubordinates } from '../actions/find-subordinates.ts'
import { type OpenTask, recordReminders } from '../actions/record-reminders.ts'
import { requireAssignablePeople } from '../actions/require-assignment-rights.ts'
import type { PlaybackContext } from '../context.ts'
import { hasPlayableVideo } from '../rules/uncompletable.ts'
import { assignmentKey } from '../store/stored-assignment.ts'

/**
 * People who may assign to a person may also remind them, of tasks that others assigned, too. So
 * may the manager of the person's supervisor, who sees their tasks.
 */
export const remindPeople = defineRoute(operation, async ({ body, person }, ctx: PlaybackContext) => {
  const personIds = await requireRemindablePeople(ctx, person, body.user_ids)
  const openTasks = await findOpenTasks(ctx, personIds, body.playlist_id)
  const completable = [...openTasks.values()].filter(({ uncompletable }) => !uncompletable)
  const { remindedIds, times } = await recordReminders(ctx, completable, person.id)
  return {
    success: true as const,
    reminders: personIds.map(personId => {
      const task = openTasks.get(personId)
      const uncompletable = task?.uncompletable
      const unchanged = task && !uncompletable ? ('already_reminded' as const) : ('no_open_task' as const)
      return {
        user_id: personId,
        outcome: remindedIds.has(personId) ? ('reminded' as const) : unchanged,
        reminded_at: times.get(personId)?.toISOString() ?? null,
        playlist_id: task?.playlistId ?? null,
        title: task?.title ?? null,
        ...(uncompletable && { uncompletable }),
      }
    }),
  }
})

async function requireRemindablePeople(
  ctx: PlaybackContext,
  caller: Person,
  ids: readonly string[],
): Promise<string[]> {
  if (caller.role !== 'manager') return requireAssignablePeople(ctx, caller, ids)
  const trainees = ((await findSubordinates(ctx, caller)) ?? []).filter(({ role }) => role === 'user')
  const remindableIds = new Set(trainees.flatMap(({ id, deactivatedAt }) => (deactivatedAt ? [] : [id])))
  const personIds = [...new Set(ids)]
  if (!personIds.every(id => remindableIds.has(id))) fail('outside_team')
  return personIds
}

interface RemindableTask extends OpenTask {
  uncompletable: 'no_playable_video' | undefined
}

/**
 * The unfinished tasks of people by person: those of the playlist, or today's without one. An open
 * task always precedes one completed today.
 */
async function findOpenTasks(
  ctx: PlaybackContext,
  personIds: readonly string[],
  playlistId: string | undefined,
): Promise<Map<string, RemindableTask>> {
  const assignments =
    playlistId === undefined
      ? await findTodaysOpenAssignments(ctx, personIds)
      : await findOpenAssignments(ctx, personIds, playlistId)
  const tasks = await Promise.all(
    personIds.map(async personId => {
      const assignment = assignments.get(personId)
      const playlist = assignment && (await ctx.playlists.cached.get(assignment.playlistId))
      if (!playlist) return undefined
      const uncompletable = hasPlayableVideo(playlist) ? undefined : ('no_playable_video' as const)
      return { personId, playlistId: playlist.id, title: playlist.title, uncompletable }
    }),
  )
  return new Map(tasks.filter(task => task !== undefined).map(task => [task.personId, task]))
}

/** Leaves out the tasks of deleted playlists that the job has not removed yet. */
async function findTodaysOpenAssignments(ctx: PlaybackContext, personIds: readonly string[]) {
  const deletedIds = await ctx.playlists.findWithRemainingAssignments()
  return ctx.assignments.findMostUrgentOpen(personIds, ctx.calendar.dayOf(ctx.clock.now()), deletedIds)
}

async function findOpenAssignments(ctx: PlaybackContext, personIds: readonly string[], playlistId: string) {
  const assignments = await ctx.assignments.byKeys(personIds.map(personId => assignmentKey(personId, playlistId)))
  const openAssignments = [...assignments.values()].filter(({ status }) => status === 'assigned')
  return new Map(openAssignments.map(assignment => [assignment.personId, assignment]))
}
