import { reportUnavailable as operation, type Video } from '@watchline/contracts/playlists'
import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { writePlaylistChange } from '../actions/change-playlist.ts'
import { findWatchable } from '../actions/find-watchable.ts'
import type { PlaybackContext } from '../context.ts'
import type { Playlist } from '../rules/playlist.ts'
import { presentUnavailableVideo } from '../rules/playlist-events.ts'
import { isConfirmed } from '../rules/unavailable.ts'
import { retryOnDuplicateKey } from '../store/retry-on-duplicate-key.ts'

export const reportUnavailable = defineRoute(operation, async ({ params, body, person }, ctx: PlaybackContext) => {
  const playlist = (await findWatchable(ctx, person, params.id)) ?? fail('not_found')
  const video = requireVideo(playlist, params.videoId)
  // The request to YouTube runs before the transaction, which must not wait for it.
  const goneOnYoutube = video.provider === 'youtube' && !video.unavailable && (await isGoneOnYoutube(ctx, video.id))
  const report = { ...params, person, code: body.code, goneOnYoutube }

  const unavailable = await retryOnDuplicateKey(() => ctx.outbox.transaction(tx => writeReport(ctx, tx, report)))

  ctx.playlists.cached.evict(params.id)
  return { success: true as const, unavailable }
})

interface VideoReport {
  id: string
  videoId: string
  person: Person
  code: number
  goneOnYoutube: boolean
}

/**
 * Adds the report and publishes the first one and the confirming one. True if the video is
 * unavailable now.
 */
async function writeReport(ctx: PlaybackContext, tx: Transaction, report: VideoReport): Promise<boolean> {
  const { id, videoId, person, code, goneOnYoutube } = report
  const playlist = (await ctx.playlists.byIds([id], tx.session))[0] ?? fail('not_found')
  const video = requireVideo(playlist, videoId)
  if (video.unavailable) return true

  const earlierReports = await ctx.unavailableReports.find(id, videoId, tx.session)
  const reporterIds = new Set([...earlierReports.map(({ personId }) => personId), person.id])
  if (reporterIds.size > earlierReports.length) {
    const newReport = { personId: person.id, code, at: new Date(ctx.clock.now()) }
    await ctx.unavailableReports.add(id, videoId, newReport, tx.session)
  }
  if (isConfirmed({ reporterIds, reporter: person, goneOnYoutube })) {
    const videos = playlist.videos.map(item => (item.id === videoId ? { ...item, unavailable: true } : item))
    await writePlaylistChange(ctx, tx, playlist, { videos }, person.id)
    return true
  }
  if (earlierReports.length === 0) {
    const finding = { personId: person.id, confirmed: false }
    tx.publish('video.unavailable', id, presentUnavailableVideo(playlist, video, finding))
  }
  return false
}

function requireVideo(playlist: Playlist, videoId: string): Video {
  return playlist.videos.find(video => video.id === videoId) ?? fail('not_found')
}

/** False if YouTube is unreachable: only its explicit answer counts. */
async function isGoneOnYoutube(ctx: PlaybackContext, videoId: string): Promise<boolean> {
  if (!ctx.youtube.configured) return false
  return ctx.youtube.plays(videoId).then(
    plays => !plays,
    () => false,
  )
}
