import { exportDueDates as operation } from '@watchline/contracts/assignments'
import { defineRoute, StreamReply } from '@watchline/kit/http/route'
import { composeCalendar } from '../actions/compose-calendar.ts'
import { findDueTasks } from '../actions/find-due-tasks.ts'
import type { PlaybackContext } from '../context.ts'

export const exportDueDates = defineRoute(operation, async ({ query, person }, ctx: PlaybackContext) => {
  const tasks = await findDueTasks(ctx, person.id, query.playlist_id)
  const name = query.playlist_id === undefined ? 'due-dates.ics' : 'due-date.ics'
  return new StreamReply([composeCalendar(tasks, ctx.publicUrl)], {
    'Content-Type': 'text/calendar; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}"`,
  })
})
