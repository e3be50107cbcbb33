import { randomUUID } from 'node:crypto'
import { conditionsOf } from '@watchline/contracts/conditions'
import { track as operation } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { BodyOf } from '@watchline/contracts/operation'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { findReportedPlaylist } from '../actions/find-reported-playlist.ts'
import { requireVideo } from '../actions/require-video.ts'
import type { EngagementContext } from '../context.ts'
import type { ReportSubmission } from '../rules/apply-reports.ts'
import type { Report, WatchFacts } from '../rules/crediting.ts'
import { listVideoKeys } from '../rules/needed-videos.ts'
import { summarisePlaylist } from '../rules/overview.ts'
import type { Playlist, PlaylistVideo } from '../rules/playlist.ts'
import { checkReportedVideo, type VideoCheck } from '../rules/reported-video.ts'
import { findOrder } from '../rules/skipping.ts'
import { videoKey } from '../rules/watch-state.ts'
import { presentOpenCheck, presentOwnWatch } from './presenters.ts'

/**
 * The hot path. People, playlists and assignments come from memory, and the lock costs one round
 * trip. Reports share their reads and writes in `reportCommit`, which also ignores a repeated
 * report and publishes what it completes.
 */
export const track = defineRoute(operation, async ({ body, person, sid, isAbandoned }, ctx: EngagementContext) => {
  const now = ctx.clock.now()
  const lock = await ctx.live.locks.get(person.id, now)
  const playlist = await findReportedPlaylist(ctx, person, {
    playlistId: body.playlist_id,
    videoId: body.video_id,
    lock,
    now,
  })
  const video = await findReportedVideo(ctx, playlist, body, now)
  const conditions = conditionsOf(await ctx.projections.findConditions(person.id, playlist.id))

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
  const facts: WatchFacts = {
    now,
    lock: lock && { sid: lock.sid, fence: lock.fence, acquiredAt: lock.acquiredAt },
    resetAt: lock?.playlistId === playlist.id ? lock.resetAt : undefined,
    duration: video.duration,
    maxRate: conditions.max_rate,
    order: findOrder(playlist, video.id, conditions),
  }
  const submission: ReportSubmission = {
    ...{ personId: person.id, report, facts },
    // A task with another percentage may be complete with any report, by later videos, too.
    ...(conditions.required_percent === limits.completedRate && { videoKeys: listVideoKeys(playlist) }),
    ...(conditions.attention_checks && { attention: { checkId: randomUUID(), random: Math.random() } }),
  }
  let committed = await ctx.reportCommit.submit(submission, isAbandoned)
  if (committed.outcome === 'unresolved')
    committed = await ctx.reportCommit.submit(await resolveLockIntervals(ctx, submission), isAbandoned)
  // After the commit, and not for a repeated report: audits need each report once. A report whose
  // commit succeeds without an acknowledgement is therefore missing.
  if (committed.outcome !== 'repeated') ctx.rawReports.record(person.id, report, now)
  if (committed.outcome === 'refused') fail('invalid')
  const { state, completedPlaylists } = committed
  const isCompleted = completedPlaylists.includes(playlist.id)
  const overview = summarisePlaylist(playlist, state.videos, conditions.required_percent, isCompleted)
  return {
    success: true as const,
    watched: presentOwnWatch(overview, conditions, committed, video.id),
    ...(conditions.attention_checks && presentOpenCheck(state.attention?.open, now)),
  }
})

/**
 * Without a lock, the owner of locks says whether the person agreed to be monitored: otherwise
 * nothing is recorded. If the lock was released before the last report, and `monitoring.stopped`
 * has not arrived yet, the owner knows the interval.
 */
async function resolveLockIntervals(ctx: EngagementContext, submission: ReportSubmission): Promise<ReportSubmission> {
  return { ...submission, lockIntervals: await ctx.projections.fetchLockIntervals(submission.personId) }
}

type TrackBody = BodyOf<typeof operation>

/**
 * Reads from the playlist's owner before a refusal, because the event of an edit may arrive after
 * the first report of a new video.
 */
async function findReportedVideo(
  ctx: EngagementContext,
  playlist: Playlist,
  body: TrackBody,
  now: number,
): Promise<PlaylistVideo> {
  const check = checkBody(playlist, body, now)
  if (check.video) return check.video
  const latest = await ctx.projections.refetchPlaylist(playlist)
  if (latest.revision > playlist.revision) return requireVideo(checkBody(latest, body, now))
  ctx.reportCommit.countRefused()
  return requireVideo(check)
}

/** `playlist_completed` has no position. */
function checkBody(playlist: Playlist, body: TrackBody, now: number): VideoCheck {
  const position =
    body.event_type === 'playlist_completed' ? undefined : { path: 'watch_time', seconds: body.watch_time }
  return checkReportedVideo(playlist, body.video_id, now, position)
}
