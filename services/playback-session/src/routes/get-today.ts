import { getToday as operation } from '@watchline/contracts/assignments'
import { defineRoute } from '@watchline/kit/http/route'
import type { PlaybackContext } from '../context.ts'
import { findTodaysAssignment } from '../rules/assignment.ts'
import { presentTask } from './presenters.ts'

export const getToday = defineRoute(operation, async ({ person, sid }, ctx: PlaybackContext) => {
  const day = ctx.calendar.dayOf(ctx.clock.now())
  const assignment = findTodaysAssignment(await ctx.assignments.findTodaysCandidates(person.id, day), day)
  if (!assignment) return null
  const [playlist, progress] = await Promise.all([
    ctx.playlists.cached.get(assignment.playlistId),
    ctx.progress.find(person.id, assignment.playlistId),
  ])
  return playlist ? presentTask(ctx, { sid }, playlist, assignment, progress) : null
})
