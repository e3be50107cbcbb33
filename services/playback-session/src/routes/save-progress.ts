import { saveProgress as operation } from '@watchline/contracts/playback'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { holdLock } from '../actions/acquire-lock.ts'
import { endOwnIfBarred } from '../actions/end-barred-sessions.ts'
import { findWatchable, positionIn } from '../actions/find-watchable.ts'
import { savePosition } from '../actions/save-position.ts'
import type { PlaybackContext } from '../context.ts'

const names = { videoId: 'video_id', videoIndex: 'video_index', seconds: 'progress' } as const

/** The hot path: people, playlists and assignments come from memory, the lock costs one round trip, the write is shared. */
export const saveProgress = defineRoute(operation, async ({ body, person, sid, loginTime }, ctx: PlaybackContext) => {
  ctx.presence.note(person.id, sid, loginTime)
  const playlist = await findWatchable(ctx, person, body.playlist_id)
  if (!playlist) {
    // Taken away while it was watched: what is left of the session is not kept alive.
    await endOwnIfBarred(ctx, person.id, sid)
    fail('not_found')
  }
  const given = { videoId: body.video_id, videoIndex: body.video_index, seconds: body.progress }
  const position = positionIn(playlist, given, names)
  const lock = await holdLock(ctx, person.id, sid)
  await savePosition(ctx, lock, playlist, position)
  return { success: true as const }
})
