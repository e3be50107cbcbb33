import { getSessionStatus as operation } from '@watchline/contracts/playback'
import type { Person } from '@watchline/kit/people'
import { defineRoute } from '@watchline/kit/route'
import type { PlaybackContext } from '../context.ts'
import { isUnderWay } from '../rules/position.ts'
import { assignmentKey } from '../store/assignments.ts'
import type { Progress } from '../store/progress.ts'
import { findWatchable } from '../watchable.ts'

/** Of so many unfinished playlists the latest that one may still watch is looked for. */
const lookedThrough = 50

export const getSessionStatus = defineRoute(operation, async ({ query, person }, ctx: PlaybackContext) => {
  const [lock, found] = await Promise.all([
    ctx.live.locks.get(person.id, ctx.clock.now()),
    query.playlist_id ? progressIn(ctx, person, query.playlist_id) : latestUnfinished(ctx, person),
  ])
  return {
    can_resume: found?.resumable ?? false,
    current_playlist_id: found?.progress.playlistId ?? null,
    current_video_id: found?.progress.videoId ?? null,
    current_video_index: found?.progress.videoIndex ?? 0,
    is_monitoring: lock !== undefined,
    video_progress: found?.progress.seconds ?? 0,
  }
})

interface Found {
  progress: Progress
  resumable: boolean
}

async function progressIn(ctx: PlaybackContext, person: Person, playlistId: string): Promise<Found | undefined> {
  const [playlist, progress] = await Promise.all([
    findWatchable(ctx, person, playlistId),
    ctx.progress.of(person.id, playlistId),
  ])
  return playlist && progress && asFound(ctx, person, progress)
}

async function latestUnfinished(ctx: PlaybackContext, person: Person): Promise<Found | undefined> {
  for (const progress of await ctx.progress.unfinished(person.id, lookedThrough)) {
    if (!(await findWatchable(ctx, person, progress.playlistId))) continue
    const found = await asFound(ctx, person, progress)
    if (found.resumable) return found
  }
  return undefined
}

async function asFound(ctx: PlaybackContext, person: Person, progress: Progress): Promise<Found> {
  const assignment = await ctx.assignments.cached.get(assignmentKey(person.id, progress.playlistId))
  return { progress, resumable: isUnderWay(progress) && !progress.finished && assignment?.status !== 'completed' }
}
