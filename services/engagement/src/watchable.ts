import { limits } from '@watchline/contracts/limits'
import type { Person } from '@watchline/identity/people'
import { fail, failField } from '@watchline/kit/core/errors'
import type { Lock } from '@watchline/kit/live/live-store'
import type { EngagementContext } from './context.ts'
import { readPosition } from './rules/completion.ts'
import { onceVideoOf, type Playlist, type PlaylistVideo, videoOf } from './rules/playlist.ts'
import { holdsPlaylist } from './rules/rights.ts'
import { scopeOf } from './scope.ts'

type Asking = Pick<EngagementContext, 'projections' | 'groups'>

/** How many of a person's assignments are looked through for a video that came without its playlist. */
const assignmentsTried = 50

/**
 * The playlist, if this person may watch it: assigned to them, theirs as staff, or one they review because somebody of theirs has it.
 * Undefined for unknown and foreign ones alike.
 */
export async function findWatchable(ctx: Asking, person: Person, playlistId: string): Promise<Playlist | undefined> {
  const { projections } = ctx
  const playlist = await projections.playlist(playlistId)
  if (!playlist || playlist.deletedAt !== null) return undefined
  if (holdsPlaylist(person, playlist)) return playlist
  if (await projections.isAssigned(person.id, playlistId)) return playlist
  return (await reviews(ctx, person, playlistId)) ? playlist : undefined
}

async function reviews(ctx: Asking, person: Person, playlistId: string): Promise<boolean> {
  if (person.role === 'user') return false
  const people = (await scopeOf(ctx, person)) ?? []
  const ids = people.map(each => each.id)
  return ids.length > 0 && ctx.projections.assignments.hasAny(playlistId, ids)
}

/**
 * The playlist, if this person may report what they watched of it: as long as they may watch it and a while longer, because reports
 * come late. More than the time they held the lock they cannot earn.
 */
async function findReportable(
  ctx: Asking,
  person: Person,
  playlistId: string,
  now: number,
): Promise<Playlist | undefined> {
  const { projections } = ctx
  const playlist = await projections.playlist(playlistId)
  const since = now - limits.lateReportsMs
  if (!playlist || (playlist.deletedAt !== null && playlist.deletedAt < since)) return undefined
  if (holdsPlaylist(person, playlist)) return playlist
  if (await projections.hadSince(person.id, playlistId, since)) return playlist
  return (await reviews(ctx, person, playlistId)) ? playlist : undefined
}

export async function watchable(ctx: Asking, person: Person, playlistId: string): Promise<Playlist> {
  return (await findWatchable(ctx, person, playlistId)) ?? fail('not_found')
}

/**
 * The playlist a report is of: the one it names, else that of the person's lock if it holds the video, else the latest assigned to
 * them that does.
 */
export async function reportedPlaylist(
  ctx: Asking,
  person: Person,
  {
    playlistId,
    videoId,
    lock,
    now,
  }: { playlistId: string | undefined; videoId: string; lock: Lock | undefined; now: number },
): Promise<Playlist> {
  if (playlistId !== undefined) return (await findReportable(ctx, person, playlistId, now)) ?? fail('not_found')
  const locked = lock && (await findWatchable(ctx, person, lock.playlistId))
  if (locked && videoOf(locked, videoId)) return locked
  const ids = await ctx.projections.assignments.playlistsOf(person.id, assignmentsTried)
  const known = await ctx.projections.known(ids)
  for (const id of ids) {
    const playlist = known.get(id)
    if (playlist?.deletedAt === null && videoOf(playlist, videoId)) return playlist
  }
  failField('video_id', 'is in no playlist of yours')
}

/** A video of the playlist that can play. */
export function knownVideo(playlist: Playlist, videoId: string): PlaylistVideo {
  const video = videoOf(playlist, videoId)
  if (!video) failField('video_id', 'is not a video of this playlist')
  if (video.unavailable) failField('video_id', 'is a video that cannot play')
  return video
}

/** A video of the playlist that can play, or could until a while ago. */
export function reportedVideo(playlist: Playlist, videoId: string, now: number): PlaylistVideo {
  const video = onceVideoOf(playlist, videoId)
  const lately = video && video.lostAt !== null && video.lostAt >= now - limits.lateReportsMs
  return lately ? video : knownVideo(playlist, videoId)
}

/** Refuses what is not within the video; up to the tolerance past the end is the end. */
export function checkPosition(video: PlaylistVideo, seconds: number, path: string): void {
  if (readPosition(seconds, video.duration) === undefined) failField(path, 'is not within the video')
}
