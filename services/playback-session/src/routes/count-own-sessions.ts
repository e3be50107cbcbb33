import { countOwnSessions as operation } from '@watchline/contracts/playback'
import { defineRoute } from '@watchline/kit/http/route'
import type { PlaybackContext } from '../context.ts'

export const countOwnSessions = defineRoute(operation, async ({ person: { id } }, ctx: PlaybackContext) => {
  const [assignments, positions, monitored_sessions] = await Promise.all([
    ctx.assignments.countFor(id),
    ctx.progress.countFor(id),
    ctx.monitoring.countFor(id),
  ])
  return { assignments, positions, monitored_sessions }
})
