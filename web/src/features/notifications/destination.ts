import type { Notification } from '@watchline/contracts/notification'
import type { Role } from '@watchline/contracts/people'

type Facts = Pick<Notification, 'kind' | 'playlist_id' | 'video_id' | 'timestamp' | 'is_approved'>

/** Where opening a notification leads; undefined when what it tells is all there is. */
export function destinationOf(notification: Facts, role: Role): string | undefined {
  switch (notification.kind) {
    case 'task_assigned':
    case 'request_reviewed':
      return '/dashboard'
    case 'playlist_shared':
      return '/dashboard?tab=playlists'
    case 'video_unavailable':
      return playerAddress(notification) ?? (role === 'user' ? undefined : '/dashboard?tab=playlists')
    case 'video_completed':
    case 'playlist_completed':
    case 'integrity':
      return playerAddress(notification) ?? (watchesTeam(role) ? '/dashboard?tab=engagement' : undefined)
    case 'comment_to_approve':
    case 'comment_reviewed':
      return playerAddress(notification)
  }
}

/** What the destination shows is asked for anew: it is what has changed. */
export function staleAt({ kind }: Pick<Notification, 'kind'>) {
  if (kind === 'task_assigned') return ['Today'] as const
  if (kind === 'playlist_shared' || kind === 'video_unavailable') return ['Playlists', 'Tasks'] as const
  if (kind === 'request_reviewed') return ['Team', 'SupervisorRequests'] as const
  return []
}

function watchesTeam(role: Role): boolean {
  return role === 'supervisor' || role === 'director'
}

/** The player at the video and second, told whether an approval led there. */
function playerAddress({ playlist_id, video_id, timestamp, is_approved }: Facts): string | undefined {
  if (!playlist_id) return undefined
  return `/dashboard?${new URLSearchParams({
    playlist_id,
    ...(video_id && { video_id }),
    ...(timestamp !== null && { t: String(Math.floor(timestamp)) }),
    action: is_approved ? 'approved' : 'view',
  })}`
}
