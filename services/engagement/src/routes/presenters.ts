import type {
  MemberAnalytics,
  PlaylistWatch,
  TeamFigures,
  VideoWatch as WireVideoWatch,
} from '@watchline/contracts/engagement'
import type { Person } from '@watchline/identity/people'
import type { Member } from '../actions/load-members.ts'
import { listCreditedParts } from '../rules/credited-parts.ts'
import type { Intervals } from '../rules/intervals.ts'
import type { PlaylistOverview, VideoOverview } from '../rules/overview.ts'
import { isoTime, roundToTenth } from '../rules/summary.ts'
import { averageOf, type TeamTotals } from '../rules/team-figures.ts'

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

/** Superiors also see removed videos and deleted playlists. */
export function presentMemberPlaylist(overview: PlaylistOverview): PlaylistWatch {
  const { playlist, videos, removed } = overview
  return {
    ...presentPlaylistWatch(overview),
    title: playlist.title || 'Deleted playlist',
    videos: [
      ...videos.map(presentVideoWatch),
      ...removed.map(video => ({ ...presentVideoWatch(video), removed: true })),
    ],
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
    completed_at: isoTime(overview.completedAt),
    watch_time: overview.watchTime,
    watched: presentRanges(overview.watched),
    missing: presentRanges(overview.missing),
    notes: overview.notes.map(({ code, times, seconds }) => ({ code, times, seconds })),
    last_updated: isoTime(overview.lastReportAt),
  }
}

export function presentMember({
  person,
  assigned,
  watches,
  overview,
  overdueTasks,
  progress,
}: Member): MemberAnalytics {
  return {
    user_id: person.id,
    name: person.name,
    email: person.email,
    email_verified: person.emailVerified,
    picture: person.picture,
    supervisor_id: person.supervisorId,
    completion_rate: overview.completionRate,
    watch_time: overview.watchTime,
    completed_videos: overview.completedVideos,
    total_videos: overview.totalVideos,
    last_activity: isoTime(overview.lastActivity),
    notes: overview.notes,
    progress,
    overdue_tasks: overdueTasks,
    credited_parts: listCreditedParts(assigned, watches),
  }
}

export function presentTeam(supervisor: Person, totals: TeamTotals): TeamFigures {
  return {
    supervisor_id: supervisor.id,
    name: supervisor.name,
    email: supervisor.email,
    email_verified: supervisor.emailVerified,
    picture: supervisor.picture,
    manager_id: supervisor.managerId,
    team_count: totals.members,
    average_completion: totals.members === 0 ? null : averageOf(totals),
    watch_time: roundToTenth(totals.watchTime),
    completed_videos: totals.completedVideos,
    total_videos: totals.totalVideos,
  }
}

/** Hundredths of a second, which removes rounding errors and is finer than a screen shows. */
function presentRanges(ranges: Intervals): [number, number][] {
  return ranges.map(([from, to]) => [Math.round(from * 100) / 100, Math.round(to * 100) / 100])
}
