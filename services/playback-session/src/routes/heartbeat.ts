import { heartbeat as operation } from '@watchline/contracts/playback'
import { defineRoute } from '@watchline/kit/route'
import type { PlaybackContext } from '../context.ts'
import { holdLock } from '../monitoring.ts'

export const heartbeat = defineRoute(operation, async ({ person, sid, loginTime }, ctx: PlaybackContext) => {
  ctx.presence.note(person.id, sid, loginTime)
  await holdLock(ctx, person.id, sid)
  return { success: true as const }
})
