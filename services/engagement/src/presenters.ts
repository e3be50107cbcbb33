import { createHash } from 'node:crypto'
import type {
  EngagementRecord,
  MemberAnalytics,
  PlaylistWatch,
  Comment as WireComment,
  VideoWatch as WireVideoWatch,
} from '@watchline/contracts/engagement'
import type { Person } from '@watchline/identity/people'
import type { Member } from './analytics.ts'
import type { Intervals } from './rules/intervals.ts'
import type { PlaylistOverview, VideoOverview } from './rules/overview.ts'
import { onceVideoOf, type Playlist } from './rules/playlist.ts'
import { summarise } from './rules/summary.ts'
import { readVideoKey, type VideoWatch } from './rules/watch-state.ts'
import type { Comment } from './store/comments.ts'

export function presentPlaylistWatch(overview: PlaylistOverview): PlaylistWatch {
  return {
    playlist_id: overview.playlist.id,
    title: overview.playlist.title,
    completion_rate: overview.completionRate,
    completed: overview.completed,
    completed_videos: overview.completedVideos,
    total_videos: overview.totalVideos,
    watch_time: overview.watchTime,
    videos: overview.videos.map(presentVideoWatch),
  }
}

/** To those above, who are also shown what is no longer to be watched. */
export function presentMemberPlaylist(overview: PlaylistOverview): PlaylistWatch {
  const { playlist, videos, removed } = overview
  return {
    ...presentPlaylistWatch(overview),
    title: playlist.title || 'Deleted playlist',
    videos: [...videos.map(presentVideoWatch), ...removed.map(each => ({ ...presentVideoWatch(each), removed: true }))],
    ...(playlist.deletedAt !== null && { deleted: true }),
  }
}

function presentVideoWatch(overview: VideoOverview): WireVideoWatch {
  const { video } = overview
  return {
    video_id: video.id,
    title: video.title,
    duration: video.duration,
    unavailable: video.unavailable,
    completion_rate: overview.completionRate,
    completed: overview.completed,
    completed_at: presentTime(overview.completedAt),
    watch_time: overview.watchTime,
    watched: presentRanges(overview.watched),
    missing: presentRanges(overview.missing),
    notes: overview.notes.map(({ code, times, seconds }) => ({ code, times, seconds })),
    last_updated: presentTime(overview.lastReportAt),
  }
}

export function presentMember({ person, overview }: Member): MemberAnalytics {
  return {
    user_id: person.id,
    name: person.name,
    email: person.email,
    picture: person.picture,
    supervisor_id: person.supervisorId,
    completion_rate: overview.completionRate,
    watch_time: overview.watchTime,
    completed_videos: overview.completedVideos,
    total_videos: overview.totalVideos,
    last_activity: presentTime(overview.lastActivity),
    notes: overview.notes,
  }
}

/** One person's watching of one video; the playlist as known now, else the duration as it was when they watched. */
export function presentRecord(
  personId: string,
  key: string,
  watch: VideoWatch,
  playlist: Playlist | undefined,
): EngagementRecord {
  const { playlistId, videoId } = readVideoKey(key)
  const video = playlist && onceVideoOf(playlist, videoId)
  const summary = summarise(watch, video?.duration ?? watch.duration)
  return {
    id: createHash('sha256').update(`${personId}:${key}`).digest('base64url'),
    user_id: personId,
    playlist_id: playlistId,
    video_id: videoId,
    completion_rate: summary.completionRate,
    watch_time: summary.watchTime,
    last_updated: new Date(watch.lastReportAt).toISOString(),
  }
}

/** With the author's name as it is now, where they are still known, and their role when they wrote it. */
export function presentComment(comment: Comment, author: Person | undefined): WireComment {
  return {
    id: comment.id,
    comment: comment.text,
    timestamp: comment.timestamp,
    user_name: author?.name ?? comment.authorName,
    user_role: comment.authorRole,
    created_at: comment.createdAt.toISOString(),
  }
}

export function presentTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

/** To the hundredth: finer than anybody sees, and free of rounding errors' tails. */
function presentRanges(ranges: Intervals): [number, number][] {
  return ranges.map(([from, to]) => [Math.round(from * 100) / 100, Math.round(to * 100) / 100])
}
