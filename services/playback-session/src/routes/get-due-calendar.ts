import { getDueCalendar as operation } from '@watchline/contracts/internal-operations'
import { fail } from '@watchline/kit/core/errors'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import { composeCalendar } from '../actions/compose-calendar.ts'
import { findDueTasks } from '../actions/find-due-tasks.ts'
import type { PlaybackContext } from '../context.ts'

export const getDueCalendar = defineInternalRoute(operation, async ({ params }, ctx: PlaybackContext) => {
  const tasks = await findDueTasks(ctx, params.personId, params.playlistId)
  if (tasks.length === 0) return fail('not_found')
  return { content: composeCalendar(tasks, ctx.publicUrl) }
})
