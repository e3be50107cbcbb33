import { getToday as operation } from '@watchline/contracts/assignments'
import { defineRoute } from '@watchline/kit/http/route'
import type { PlaybackContext } from '../context.ts'
import { findTodaysAssignment } from '../rules/assignment.ts'
import { presentTask } from './presenters.ts'

export const getToday = defineRoute(operation, async ({ person, sid }, ctx: PlaybackContext) => {
  const today = await findToday(ctx, person.id, [])
  // The playlist was deleted a moment before, so the next task counts.
  const found =
    today && !today.playlist
      ? await findToday(ctx, person.id, await ctx.playlists.findWithRemainingAssignments())
      : today
  if (!found?.playlist) return null
  const progress = await ctx.progress.find(person.id, found.playlist.id)
  return presentTask(ctx, { sid }, found.playlist, found.assignment, progress)
})

async function findToday(ctx: PlaybackContext, personId: string, exceptPlaylistIds: readonly string[]) {
  const day = ctx.calendar.dayOf(ctx.clock.now())
  const candidates = await ctx.assignments.findTodaysCandidates(personId, day, exceptPlaylistIds)
  const assignment = findTodaysAssignment(candidates, day)
  return assignment && { assignment, playlist: await ctx.playlists.cached.get(assignment.playlistId) }
}
