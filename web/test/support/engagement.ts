import type {
  getTeamAnalytics,
  MemberAnalytics,
  PlaylistWatch,
  TeamAnalytics,
  TeamFigures,
  VideoWatch,
} from '@watchline/contracts/engagement'
import type { ResponseOf } from '@watchline/contracts/operation'

let count = 0

export function makeMember(changes: Partial<MemberAnalytics> = {}): MemberAnalytics {
  count += 1
  return {
    user_id: `user-${count}`,
    name: `Member ${count}`,
    email: `member${count}@example.org`,
    picture: null,
    supervisor_id: 'supervisor',
    completion_rate: 50,
    watch_time: 600,
    completed_videos: 1,
    total_videos: 4,
    last_activity: '2026-11-03T12:00:00.000Z',
    notes: 0,
    ...changes,
  }
}

export function makeTeam(members: MemberAnalytics[], changes: Partial<TeamAnalytics> = {}): TeamAnalytics {
  const sum = members.reduce((total, { completion_rate }) => total + completion_rate, 0)
  return {
    team_count: members.length,
    average_completion: members.length > 0 ? Math.round(sum / members.length) : 0,
    members,
    ...changes,
  }
}

/** The answer of a manager's own call for the same team. */
export function makeTeamAnalytics(
  members: MemberAnalytics[],
  changes: Partial<TeamAnalytics> = {},
): ResponseOf<typeof getTeamAnalytics> {
  const { team_count, average_completion } = makeTeam(members, changes)
  const users = members.map(member => ({ ...member, id: member.user_id }))
  return { users, engagements: [], total_users: team_count, active_users: 0, average_completion }
}

/** The server's figures of a supervisor's team. */
export function makeTeamFigures(changes: Partial<TeamFigures> = {}): TeamFigures {
  return {
    supervisor_id: 'supervisor',
    name: 'Supervisor',
    email: 'supervisor@example.org',
    picture: null,
    manager_id: null,
    team_count: 0,
    average_completion: null,
    watch_time: 0,
    completed_videos: 0,
    total_videos: 0,
    ...changes,
  }
}

export function makeVideoWatch(changes: Partial<VideoWatch> = {}): VideoWatch {
  count += 1
  return {
    video_id: `video-${count}`,
    title: `Video ${count}`,
    duration: 300,
    unavailable: false,
    completion_rate: 0,
    completed: false,
    completed_at: null,
    watch_time: 0,
    watched: [],
    missing: [[0, 300]],
    notes: [],
    last_updated: null,
    ...changes,
  }
}

export function makePlaylistWatch(videos: VideoWatch[], changes: Partial<PlaylistWatch> = {}): PlaylistWatch {
  count += 1
  return {
    playlist_id: `playlist-${count}`,
    title: `Playlist ${count}`,
    completion_rate: 40,
    completed: false,
    completed_videos: videos.filter(({ completed }) => completed).length,
    total_videos: videos.filter(({ unavailable }) => !unavailable).length,
    watch_time: videos.reduce((sum, { watch_time }) => sum + watch_time, 0),
    videos,
    ...changes,
  }
}
