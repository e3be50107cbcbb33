import { limits } from '@watchline/contracts/limits'
import { setMonitoring as operation } from '@watchline/contracts/playback'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { acquireLock } from '../actions/acquire-lock.ts'
import { endUnacceptedSession } from '../actions/end-unaccepted-session.ts'
import { findWatchablePlaylist } from '../actions/find-watchable-playlist.ts'
import { readReportedPosition } from '../actions/read-reported-position.ts'
import { releaseLock } from '../actions/release-lock.ts'
import { requireAcceptedNotice } from '../actions/require-accepted-notice.ts'
import { savePositionOrReleaseLock } from '../actions/save-position-or-release-lock.ts'
import type { PlaybackContext } from '../context.ts'
import { isEdited, type Playlist } from '../rules/playlist.ts'
import type { ReportedPosition } from '../rules/position.ts'

const fieldNames = {
  videoId: 'current_video_id',
  videoIndex: 'current_video_index',
  seconds: 'video_progress',
} as const

export const setMonitoring = defineRoute(
  operation,
  async ({ body, person, sid, loginTime, isAbandoned }, ctx: PlaybackContext) => {
    const reported = findReportedPosition(body)
    ctx.presence.report(person.id, sid, loginTime)

    if (body.is_monitoring) {
      const playlist = (await findWatchablePlaylist(ctx, person, body.playlist_id!)) ?? fail('not_found')
      await requireAcceptedNotice(ctx, person.id)
      // The session that is taken over may have watched further.
      const position = reported && !body.take_over && readReportedPosition(playlist, reported, fieldNames)
      const lock = await acquireLock(ctx, {
        personId: person.id,
        sid,
        playlistId: playlist.id,
        takeOver: body.take_over,
        isAbandoned,
      })
      if (await endUnacceptedSession(ctx, person.id)) fail('notice_unanswered')
      if (position) await savePositionOrReleaseLock(ctx, lock, playlist, position)
      return { success: true as const, is_monitoring: true, expires_in: limits.monitoringLockMs / 1_000 }
    }

    // If the right to watch was withdrawn, the lock is released without saving a position.
    const playlist =
      reported && body.playlist_id ? await findWatchablePlaylist(ctx, person, body.playlist_id) : undefined
    const position =
      playlist && hasReportedVideo(playlist, reported!)
        ? readReportedPosition(playlist, reported!, fieldNames)
        : undefined
    await releaseLock(ctx, { personId: person.id, sid, playlistId: body.playlist_id ?? undefined }, async owner => {
      if (playlist && position) await savePositionOrReleaseLock(ctx, owner, playlist, position)
    })
    return { success: true as const, is_monitoring: false, expires_in: 0 }
  },
)

/**
 * False if an edit removed the video during playback: its position is dropped and the lock
 * released.
 */
function hasReportedVideo(playlist: Playlist, { videoId }: ReportedPosition): boolean {
  return videoId == null || !isEdited(playlist) || playlist.videos.some(video => video.id === videoId)
}

/** A position needs seconds and a video; otherwise the body reports none. */
function findReportedPosition(body: {
  current_video_id?: string | null | undefined
  current_video_index?: number | null | undefined
  video_progress?: number | null | undefined
}): ReportedPosition | undefined {
  const { current_video_id: videoId, current_video_index: videoIndex, video_progress: seconds } = body
  if (seconds == null || (videoId == null && videoIndex == null)) return undefined
  return { videoId, videoIndex, seconds }
}
