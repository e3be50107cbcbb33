import type { Conditions } from '@watchline/contracts/conditions'
import type {
  AttentionCheck,
  MemberAnalytics,
  PlaylistWatch,
  TeamFigures,
  VideoWatch as WireVideoWatch,
} from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { Person } from '@watchline/identity/people'
import type { Member } from '../actions/load-members.ts'
import type { TaskHistory } from '../actions/load-task-history.ts'
import { listCreditedParts } from '../rules/credited-parts.ts'
import type { PlaylistOverview, VideoOverview } from '../rules/overview.ts'
import { findVideo } from '../rules/playlist.ts'
import { presentEndedOccurrence } from '../rules/record/occurrences.ts'
import type { RecordedAttempt, RecordedPlaylist } from '../rules/record/recorded-playlist.ts'
import { findReach } from '../rules/skipping.ts'
import { isoTime, roundRanges, roundToHundredth } from '../rules/summary.ts'
import { averageOf, type TeamTotals } from '../rules/team-figures.ts'
import type { OpenCheck } from '../rules/watch-state.ts'
import type { Watcher } from '../rules/watcher-update.ts'

/** The field of an answer; nothing without an open check. `now` is in ms. */
export function presentOpenCheck(check: OpenCheck | undefined, now: number): { attention_check?: AttentionCheck } {
  if (!check) return {}
  const answerWithinS = Math.max(0, Math.round((check.answerUntil - now) / 1_000))
  return { attention_check: { id: check.id, answer_within_s: answerWithinS } }
}

/**
 * The watch of the caller's own task, of all its videos or of one. The watcher is needed if the
 * task forbids skipping ahead.
 */
export function presentOwnWatch(
  overview: PlaylistOverview,
  { required_percent: percent, allow_skipping }: Conditions,
  watcher: Pick<Watcher, 'state'> | undefined,
  onlyVideoId?: string,
): PlaylistWatch {
  const { playlist, completed } = overview
  const shown = overview.videos.filter(({ video }) => onlyVideoId === undefined || video.id === onlyVideoId)
  const watch = presentPlaylistWatch({ ...overview, videos: shown }, percent)
  if (allow_skipping || completed || !watcher) return watch
  const presentReach = (videoId: string) => {
    const video = findVideo(playlist, videoId)
    if (!video) return {}
    const { until, passed } = findReach(watcher.state, playlist, video, percent)
    return { reach: { until: roundToHundredth(until), passed } }
  }
  return { ...watch, videos: watch.videos.map(video => ({ ...video, ...presentReach(video.video_id) })) }
}

/** `requiredPercent` is that of the caller's own task. */
export function presentPlaylistWatch(overview: PlaylistOverview, requiredPercent?: number): PlaylistWatch {
  return {
    playlist_id: overview.playlist.id,
    title: overview.playlist.title,
    completion_rate: overview.completionRate,
    completed: overview.completed,
    ...(overview.hasNewVideos && { new_since_completion: true }),
    ...(requiredPercent !== undefined &&
      requiredPercent !== limits.completedRate && { required_percent: requiredPercent }),
    completed_videos: overview.completedVideos,
    total_videos: overview.totalVideos,
    watch_time: overview.watchTime,
    videos: overview.videos.map(presentVideoWatch),
  }
}

/** The record also shows removed videos, deleted playlists, overrides and what came before. */
export function presentMemberPlaylist(
  { overview, wasAssigned, override, conditions, due, earlierAttempts }: RecordedPlaylist,
  history: TaskHistory,
): PlaylistWatch {
  const { playlist, videos, removed } = overview
  const occurrences = history.occurrences.get(playlist.id) ?? []
  const presentOccurrence = history.presentOccurrences.get(playlist.id)
  const explainedChanges = history.explainedChanges.get(playlist.id) ?? []
  return {
    ...presentPlaylistWatch(overview),
    title: playlist.title || 'Deleted playlist',
    videos: [
      ...videos.map(presentVideoWatch),
      ...removed.map(video => ({ ...presentVideoWatch(video), removed: true })),
    ],
    ...(playlist.deletedAt !== null && { deleted: true }),
    ...(!wasAssigned && { never_assigned: true }),
    override,
    ...(due && { due: due.dueAt.toISOString() }),
    ...(due?.graceUntil && { grace_until: due.graceUntil.toISOString() }),
    ...(conditions && { conditions }),
    ...(occurrences.length > 0 && { occurrences: occurrences.map(presentEndedOccurrence) }),
    ...(presentOccurrence && { present_occurrence: presentOccurrence }),
    ...(explainedChanges.length > 0 && { explained_changes: [...explainedChanges] }),
    ...(earlierAttempts.length > 0 && { earlier_attempts: earlierAttempts.map(presentEarlierAttempt) }),
  }
}

function presentEarlierAttempt(attempt: RecordedAttempt) {
  const { endedAt, by, reason, completionRate, completed, watchTime, endedDue } = attempt
  return {
    ended_at: new Date(endedAt).toISOString(),
    ...(endedDue && { occurrence_due: endedDue }),
    ...{ by, reason },
    completion_rate: completionRate,
    completed,
    watch_time: watchTime,
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
    watched: roundRanges(overview.watched),
    missing: roundRanges(overview.missing),
    notes: overview.notes.map(({ code, times, seconds }) => ({ code, times, seconds })),
    last_updated: isoTime(overview.lastReportAt),
  }
}

export function presentMember({
  person,
  required,
  watches,
  overview,
  overdueTasks,
  markedDoneTasks,
  exemptTasks,
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
    marked_done_tasks: markedDoneTasks,
    exempt_tasks: exemptTasks,
    credited_parts: listCreditedParts(required, watches),
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
    watch_time: roundToHundredth(totals.watchTime),
    completed_videos: totals.completedVideos,
    total_videos: totals.totalVideos,
  }
}
