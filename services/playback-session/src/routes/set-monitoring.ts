import { limits } from '@watchline/contracts/limits'
import { setMonitoring as operation } from '@watchline/contracts/playback'
import { defineRoute } from '@watchline/kit/http/route'
import { releaseLock, takeLock } from '../actions/acquire-lock.ts'
import { findWatchable, isEdited, positionIn, watchable } from '../actions/find-watchable.ts'
import { savePosition } from '../actions/save-position.ts'
import type { PlaybackContext } from '../context.ts'
import type { GivenPosition } from '../rules/position.ts'
import type { Playlist } from '../store/playlists.ts'

const names = { videoId: 'current_video_id', videoIndex: 'current_video_index', seconds: 'video_progress' } as const

export const setMonitoring = defineRoute(operation, async ({ body, person, sid, loginTime }, ctx: PlaybackContext) => {
  const given = givenPosition(body)
  ctx.presence.note(person.id, sid, loginTime)

  if (body.is_monitoring) {
    const playlist = await watchable(ctx, person, body.playlist_id!)
    const position = given && positionIn(playlist, given, names)
    const lock = await takeLock(ctx, {
      personId: person.id,
      sid,
      playlistId: playlist.id,
      takeOver: body.take_over,
    })
    if (position) await savePosition(ctx, lock, playlist, position)
    return { success: true as const, is_monitoring: true, expires_in: limits.monitoringLockMs / 1_000 }
  }

  // Taken away while it was watched: then only the lock is given back.
  const playlist = given && body.playlist_id ? await findWatchable(ctx, person, body.playlist_id) : undefined
  const position = playlist && isStillThere(playlist, given!) ? positionIn(playlist, given!, names) : undefined
  await releaseLock(ctx, { personId: person.id, sid, playlistId: playlist?.id }, async lock => {
    if (position) await savePosition(ctx, lock, playlist as Playlist, position)
  })
  return { success: true as const, is_monitoring: false, expires_in: 0 }
})

/** Of a video that was removed while it played there is no position to keep; the lock is given back all the same. */
function isStillThere(playlist: Playlist, { videoId }: GivenPosition): boolean {
  return videoId == null || !isEdited(playlist) || playlist.videos.some(video => video.id === videoId)
}

/** The position in the call; a progress without a video, or a video without one, is none. */
function givenPosition(body: {
  current_video_id?: string | null | undefined
  current_video_index?: number | null | undefined
  video_progress?: number | null | undefined
}): GivenPosition | undefined {
  const { current_video_id: videoId, current_video_index: videoIndex, video_progress: seconds } = body
  if (seconds == null || (videoId == null && videoIndex == null)) return undefined
  return { videoId, videoIndex, seconds }
}
