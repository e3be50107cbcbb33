import type { Task } from '@watchline/contracts/assignments'
import type { Playlist } from '@watchline/contracts/playlists'
import type { OnlineSummary, OnlineUser } from '@watchline/contracts/presence'

let count = 0

export function makePlaylist(changes: Partial<Playlist> = {}): Playlist {
  count += 1
  return {
    id: `playlist-${count}`,
    title: `Playlist ${count}`,
    description: 'What it is about.',
    total_duration: 3905,
    videos: [
      { provider: 'youtube', id: 'dQw4w9WgXcQ', url: null, title: 'One', duration: 3600 },
      { provider: 'file', id: 'two', url: '/clips/two.webm', title: 'Two', duration: 305 },
    ],
    assigned_users: [],
    assigned_date: null,
    created_at: '2026-11-02T10:00:00.000Z',
    created_by: 'somebody',
    shared_with: [],
    source: null,
    revision: 1,
    ...changes,
  }
}

export function makeTask(changes: Partial<Task> = {}): Task {
  return { ...makePlaylist(), assigned_date: '2026-11-03T08:00:00.000Z', assignment_status: 'assigned', ...changes }
}

/** Makes a person online for 65 minutes and active 5 minutes ago, plus a margin for the clock. */
export function makeOnlineUser(changes: Partial<OnlineUser> = {}): OnlineUser {
  count += 1
  return {
    session_id: `session-${count}`,
    user_id: `user-${count}`,
    name: `Online ${count}`,
    email: `online${count}@example.org`,
    picture: null,
    role: 'user',
    user_role: 'user',
    supervisor_id: null,
    status: 'active',
    login_time: new Date(Date.now() - 65.3 * 60_000).toISOString(),
    last_activity: new Date(Date.now() - 5.7 * 60_000).toISOString(),
    current_playlist: null,
    ...changes,
  }
}

export function makeOnlineSummary(users: OnlineUser[], changes: Partial<OnlineSummary> = {}): OnlineSummary {
  const monitoring = users.filter(({ status }) => status === 'monitoring').length
  return {
    total_online: users.length,
    active_count: users.length - monitoring,
    monitoring_count: monitoring,
    total_users: users.length + 3,
    users,
    ...changes,
  }
}
