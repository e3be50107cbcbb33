import { reportUnavailable as operation, type Video } from '@watchline/contracts/playlists'
import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { retryOnDuplicateKey } from '@watchline/kit/mongo/retry-on-duplicate-key'
import { writePlaylistChange } from '../actions/change-playlist.ts'
import { checkVideoGone } from '../actions/check-video-gone.ts'
import { findWatchablePlaylist } from '../actions/find-watchable-playlist.ts'
import type { PlaybackContext } from '../context.ts'
import type { Playlist } from '../rules/playlist.ts'
import { presentUnavailableVideo } from '../rules/playlist-events.ts'
import { reportLimit } from '../rules/rate-limits.ts'
import { isConfirmed, needsDecision } from '../rules/unavailable.ts'

export const reportUnavailable = defineRoute(operation, async ({ params, body, person }, ctx: PlaybackContext) => {
  const playlist = (await findWatchablePlaylist(ctx, person, params.id)) ?? fail('not_found')
  if (body.decided && person.role === 'user') fail('forbidden', { detail: 'Only staff decide about a video.' })
  const video = requireVideo(playlist, params.videoId)
  await ctx.rateLimiter.count(`unavailable-reports:${person.id}`, reportLimit)
  // The request to YouTube runs before the transaction, which must not wait for it.
  const isGone = !video.unavailable && (await checkVideoGone(ctx, video, person.id))
  const report = { ...params, person, code: body.code, isDecided: body.decided, isGone }

  const unavailable = await retryOnDuplicateKey(() => ctx.outbox.transaction(tx => writeReport(ctx, tx, report)))

  ctx.playlists.cached.evict(params.id)
  return { success: true as const, unavailable }
})

interface VideoReport {
  id: string
  videoId: string
  person: Person
  code: number
  isDecided: boolean
  isGone: boolean
}

/**
 * Adds the report. Publishes the one that staff must decide, and the one that confirms. True if the
 * video is unavailable now.
 */
async function writeReport(ctx: PlaybackContext, tx: Transaction, report: VideoReport): Promise<boolean> {
  const { id, videoId, person, code, isDecided, isGone } = report
  const playlist = (await ctx.playlists.byIds([id], tx.session))[0] ?? fail('not_found')
  const video = requireVideo(playlist, videoId)
  if (video.unavailable) return true

  const openReports = await ctx.unavailableReports.find(id, videoId, tx.session)
  if (!openReports.reports.some(({ personId }) => personId === person.id)) {
    const newReport = { personId: person.id, code, at: new Date(ctx.clock.now()) }
    await ctx.unavailableReports.add(id, videoId, newReport, tx.session)
  }
  if (isConfirmed({ isDecided, isGone })) {
    const videos = playlist.videos.map(item => (item.id === videoId ? { ...item, unavailable: true } : item))
    await writePlaylistChange(ctx, tx, playlist, { videos }, person.id)
    return true
  }
  if (needsDecision(openReports, ctx.clock.now())) {
    const finding = { personId: person.id, confirmed: false }
    tx.publish('video.unavailable', id, presentUnavailableVideo(playlist, video, finding))
  }
  return false
}

function requireVideo(playlist: Playlist, videoId: string): Video {
  return playlist.videos.find(video => video.id === videoId) ?? fail('not_found')
}
