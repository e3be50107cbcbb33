import { saveProgress as operation } from '@watchline/contracts/playback'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { endOwnUnauthorisedSession } from '../actions/end-unauthorised-sessions.ts'
import { findWatchablePlaylist } from '../actions/find-watchable-playlist.ts'
import { readReportedPosition } from '../actions/read-reported-position.ts'
import { renewLock } from '../actions/renew-lock.ts'
import { savePositionOrReleaseLock } from '../actions/save-position-or-release-lock.ts'
import type { PlaybackContext } from '../context.ts'

const fieldNames = { videoId: 'video_id', videoIndex: 'video_index', seconds: 'progress' } as const

/** Hot path: rights come from caches, the lock costs one round trip, and writes are batched. */
export const saveProgress = defineRoute(
  operation,
  async ({ body, person, sid, loginTime, isAbandoned }, ctx: PlaybackContext) => {
    ctx.presence.report(person.id, sid, loginTime)
    const playlist = await findWatchablePlaylist(ctx, person, body.playlist_id)
    if (!playlist) {
      // The right may have been withdrawn during playback.
      await endOwnUnauthorisedSession(ctx, person.id, sid)
      fail('not_found')
    }
    const reported = { videoId: body.video_id, videoIndex: body.video_index, seconds: body.progress }
    const position = readReportedPosition(playlist, reported, fieldNames)
    const lock = await renewLock(ctx, person.id, sid)
    await savePositionOrReleaseLock(ctx, lock, playlist, position, isAbandoned)
    return { success: true as const }
  },
)
