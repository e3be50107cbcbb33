import { track as operation } from '@watchline/contracts/engagement'
import type { BodyOf } from '@watchline/contracts/operation'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { EngagementContext } from '../context.ts'
import type { Known, Report } from '../rules/crediting.ts'
import type { Playlist, PlaylistVideo } from '../rules/playlist.ts'
import { videoKey } from '../rules/watch-state.ts'
import { checkPosition, reportedPlaylist, reportedVideo } from '../watchable.ts'

/** The hot path: people, playlists and assignments come from memory, the lock costs one round trip, read and write are shared. */
export const track = defineRoute(operation, async ({ body, person, sid }, ctx: EngagementContext) => {
  const taken = ctx.clock.now()
  const lock = await ctx.live.locks.get(person.id, taken)
  const playlist = await reportedPlaylist(ctx, person, {
    playlistId: body.playlist_id,
    videoId: body.video_id,
    lock,
    now: taken,
  })
  const video = await checked(ctx, playlist, body, taken)

  const report: Report = {
    eventId: body.event_id ?? null,
    sid,
    key: videoKey(playlist.id, video.id),
    type: body.event_type,
    position: body.watch_time,
    rate: body.playback_rate,
    clientTime: body.client_time === undefined ? null : Date.parse(body.client_time),
    hidden: body.hidden,
  }
  const known: Known = {
    now: taken,
    lock: lock && { sid: lock.sid, fence: lock.fence, acquiredAt: lock.acquiredAt },
    duration: video.duration,
  }
  ctx.rawReports.note(person.id, report, taken)
  const submission = { personId: person.id, report, known }
  let outcome = await ctx.tracking.submit(submission)
  if (outcome === 'ask') {
    // The release was faster than the last report, and its news slower: the lock's owner knows.
    const holds = await ctx.projections.holds(person.id)
    outcome = await ctx.tracking.submit({ ...submission, holds })
  }
  if (outcome === 'refused') fail('invalid')
  return { success: true as const }
})

type Body = BodyOf<typeof operation>

/** The video, if it was played as reported. The news of an edit may be slower than the first report of what it brought. */
async function checked(ctx: EngagementContext, playlist: Playlist, body: Body, now: number): Promise<PlaylistVideo> {
  try {
    return check(playlist, body, now)
  } catch (error) {
    const latest = await ctx.projections.reread(playlist)
    if (latest.revision > playlist.revision) return check(latest, body, now)
    ctx.tracking.countRefused()
    throw error
  }
}

function check(playlist: Playlist, body: Body, now: number): PlaylistVideo {
  const video = reportedVideo(playlist, body.video_id, now)
  if (body.event_type !== 'playlist_completed') checkPosition(video, body.watch_time, 'watch_time')
  return video
}
