import { heartbeat as operation } from '@watchline/contracts/playback'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { endOwnUnauthorisedSession } from '../actions/end-unauthorised-sessions.ts'
import { findWatchablePlaylist } from '../actions/find-watchable-playlist.ts'
import { renewLock } from '../actions/renew-lock.ts'
import type { PlaybackContext } from '../context.ts'

export const heartbeat = defineRoute(operation, async ({ person, sid, loginTime }, ctx: PlaybackContext) => {
  ctx.presence.report(person.id, sid, loginTime)
  const lock = await renewLock(ctx, person.id, sid)
  if (!(await findWatchablePlaylist(ctx, person, lock.playlistId))) {
    await endOwnUnauthorisedSession(ctx, person.id, sid)
    fail('monitoring_elsewhere', { detail: 'This playlist is no longer yours to watch.' })
  }
  return { success: true as const }
})
