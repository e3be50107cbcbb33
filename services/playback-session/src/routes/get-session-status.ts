import { getSessionStatus as operation } from '@watchline/contracts/playback'
import type { Person } from '@watchline/identity/people'
import { defineRoute } from '@watchline/kit/http/route'
import { findWatchable } from '../actions/find-watchable.ts'
import type { PlaybackContext } from '../context.ts'
import { isAtEnd, isUnderWay, locate, type Position } from '../rules/position.ts'
import { assignmentKey } from '../store/assignments.ts'
import type { Playlist } from '../store/playlists.ts'
import { type Progress, positionKey } from '../store/progress.ts'

/** Of so many unfinished playlists the latest that one may still watch is looked for. */
const lookedThrough = 50

export const getSessionStatus = defineRoute(operation, async ({ query, person }, ctx: PlaybackContext) => {
  const [lock, found] = await Promise.all([
    ctx.live.locks.get(person.id, ctx.clock.now()),
    query.playlist_id ? progressIn(ctx, person, query.playlist_id) : latestUnfinished(ctx, person),
  ])
  return {
    can_resume: found?.resumable ?? false,
    current_playlist_id: found?.playlistId ?? null,
    current_video_id: found?.position.videoId ?? null,
    current_video_index: found?.position.videoIndex ?? 0,
    is_monitoring: lock !== undefined,
    video_progress: found?.position.seconds ?? 0,
  }
})

interface Found {
  playlistId: string
  position: Position
  resumable: boolean
}

async function progressIn(ctx: PlaybackContext, person: Person, playlistId: string): Promise<Found | undefined> {
  const [playlist, progress] = await Promise.all([
    findWatchable(ctx, person, playlistId),
    ctx.progress.of(person.id, playlistId),
  ])
  return playlist && progress && asFound(ctx, person, playlist, progress)
}

async function latestUnfinished(ctx: PlaybackContext, person: Person): Promise<Found | undefined> {
  for (const progress of await ctx.progress.unfinished(person.id, lookedThrough)) {
    const playlist = await findWatchable(ctx, person, progress.playlistId)
    const found = playlist && (await asFound(ctx, person, playlist, progress))
    if (found?.resumable) return found
  }
  return undefined
}

/** The playlist may have been edited since: where the position is, and whether it is the end, is seen in the playlist of now. */
async function asFound(ctx: PlaybackContext, person: Person, playlist: Playlist, progress: Progress): Promise<Found> {
  const assignment = await ctx.assignments.cached.get(assignmentKey(person.id, playlist.id))
  const position = locate(playlist.videos, progress, videoId => progress.positions[positionKey(videoId)])
  const over = isAtEnd(playlist.videos, position) || assignment?.status === 'completed'
  return { playlistId: playlist.id, position, resumable: isUnderWay(position) && !over }
}
