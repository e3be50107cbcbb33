import { getSessionStatus as operation } from '@watchline/contracts/playback'
import type { Person } from '@watchline/identity/people'
import { defineRoute } from '@watchline/kit/http/route'
import { findActiveLock } from '@watchline/kit/live/live-store'
import { findWatchablePlaylist } from '../actions/find-watchable-playlist.ts'
import type { PlaybackContext } from '../context.ts'
import type { Playlist } from '../rules/playlist.ts'
import { isAtEnd, isUnderWay, locatePosition, type Position } from '../rules/position.ts'
import { type Progress, positionKey } from '../store/progress.ts'
import { assignmentKey } from '../store/stored-assignment.ts'

/** How many unfinished playlists are searched for one that the person may still watch. */
const maxSearched = 50

export const getSessionStatus = defineRoute(operation, async ({ query, person, sid }, ctx: PlaybackContext) => {
  const [lock, latest, resumePoint] = await Promise.all([
    findActiveLock(ctx.live, person.id, ctx.clock.now()),
    ctx.monitoring.findLatest(person.id),
    query.playlist_id ? findResumePoint(ctx, person, query.playlist_id) : findLatestResumePoint(ctx, person),
  ])
  return {
    can_resume: resumePoint?.resumable ?? false,
    current_playlist_id: resumePoint?.playlistId ?? null,
    current_video_id: resumePoint?.position.videoId ?? null,
    current_video_index: resumePoint?.position.videoIndex ?? 0,
    is_monitoring: lock !== undefined,
    video_progress: resumePoint?.position.seconds ?? 0,
    ...(resumePoint && { saved_at: resumePoint.savedAt.toISOString() }),
    owned_lock_last: (lock ?? latest)?.sid === sid,
  }
})

interface ResumePoint {
  playlistId: string
  position: Position
  savedAt: Date
  resumable: boolean
}

async function findResumePoint(
  ctx: PlaybackContext,
  person: Person,
  playlistId: string,
): Promise<ResumePoint | undefined> {
  const [playlist, progress] = await Promise.all([
    findWatchablePlaylist(ctx, person, playlistId),
    ctx.progress.find(person.id, playlistId),
  ])
  return playlist && progress && toResumePoint(ctx, person, playlist, progress)
}

async function findLatestResumePoint(ctx: PlaybackContext, person: Person): Promise<ResumePoint | undefined> {
  for (const progress of await ctx.progress.findUnfinished(person.id, maxSearched)) {
    const playlist = await findWatchablePlaylist(ctx, person, progress.playlistId)
    const resumePoint = playlist && (await toResumePoint(ctx, person, playlist, progress))
    if (resumePoint?.resumable) return resumePoint
  }
  return undefined
}

/** Uses the current playlist: it may have been edited since the position was saved. */
async function toResumePoint(
  ctx: PlaybackContext,
  person: Person,
  playlist: Playlist,
  progress: Progress,
): Promise<ResumePoint> {
  const assignment = await ctx.assignments.cached.get(assignmentKey(person.id, playlist.id))
  const position = locatePosition(playlist.videos, progress, videoId => progress.positions[positionKey(videoId)])
  const isOver = isAtEnd(playlist.videos, position) || assignment?.status === 'completed'
  return { playlistId: playlist.id, position, savedAt: progress.savedAt, resumable: isUnderWay(position) && !isOver }
}
