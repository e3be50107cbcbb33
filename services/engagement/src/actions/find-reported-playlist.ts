import { limits } from '@watchline/contracts/limits'
import type { Person } from '@watchline/identity/people'
import { fail, failField } from '@watchline/kit/core/errors'
import type { Lock } from '@watchline/kit/live/live-store'
import { findVideo, type Playlist } from '../rules/playlist.ts'
import { mayUseAsOwn } from '../rules/rights.ts'
import { findWatchablePlaylist, type PlaylistAccessContext, reviewsPlaylist } from './find-watchable-playlist.ts'

/** Maximum number of assignments to search for a video that is reported without its playlist. */
const maxSearchedAssignments = 50

export interface ReportedVideo {
  playlistId: string | undefined
  videoId: string
  /** The person's monitoring lock. */
  lock: Lock | undefined
  /** ms */
  now: number
}

/**
 * The playlist that the report names. Without a name it is the playlist of the person's lock if it
 * has the video, or else the latest assigned one that has it. Throws 404 or 422 if there is none.
 */
export async function findReportedPlaylist(
  ctx: PlaylistAccessContext,
  person: Person,
  { playlistId, videoId, lock, now }: ReportedVideo,
): Promise<Playlist> {
  if (playlistId !== undefined) return (await findReportable(ctx, person, playlistId, now)) ?? fail('not_found')
  const locked = lock && (await findWatchablePlaylist(ctx, person, lock.playlistId))
  if (locked && findVideo(locked, videoId)) return locked
  const ids = await ctx.projections.assignments.playlistsOf(person.id, maxSearchedAssignments)
  const playlists = await ctx.projections.loadKnown(ids)
  for (const id of ids) {
    const playlist = playlists.get(id)
    if (playlist?.deletedAt === null && findVideo(playlist, videoId)) return playlist
  }
  failField('video_id', 'is in no playlist of yours')
}

/**
 * The playlist if the person may report about it: they may watch it, or could until
 * `limits.lateReportsMs` ago, because reports come late. The bank limits what late reports earn.
 */
async function findReportable(
  ctx: PlaylistAccessContext,
  person: Person,
  playlistId: string,
  now: number,
): Promise<Playlist | undefined> {
  const { projections } = ctx
  const playlist = await projections.findPlaylist(playlistId)
  const since = now - limits.lateReportsMs
  if (!playlist || (playlist.deletedAt !== null && playlist.deletedAt < since)) return undefined
  if (mayUseAsOwn(person, playlist)) return playlist
  if (await projections.wasAssignedSince(person.id, playlistId, since)) return playlist
  return (await reviewsPlaylist(ctx, person, playlistId)) ? playlist : undefined
}
