import type { Notification } from './notification.ts'
import type { Role } from './people.ts'

type AddressFields = Pick<Notification, 'kind' | 'playlist_id' | 'video_id' | 'timestamp' | 'is_approved'>

/**
 * The address that a notification opens for a person with the role, in the bell and from its mail;
 * undefined if there is nothing more to show.
 */
export function findNotificationAddress(notification: AddressFields, role: Role): string | undefined {
  switch (notification.kind) {
    case 'task_assigned':
    case 'task_recurred':
    case 'task_reminded':
    case 'due_date_changed':
    case 'terms_changed':
    case 'task_exempted':
    case 'task_marked_done':
    case 'override_taken_back':
    case 'task_reset':
    case 'task_due_soon':
    case 'task_in_grace':
    case 'task_overdue':
    case 'request_reviewed':
      return '/dashboard'
    case 'task_escalated':
      return role === 'manager' ? '/dashboard?tab=analytics&view=at-risk&reason=overdue' : undefined
    case 'task_uncompletable':
    case 'playlist_shared':
      return '/dashboard?tab=playlists'
    case 'video_unavailable':
      return playerAddress(notification) ?? (role === 'user' ? undefined : '/dashboard?tab=playlists')
    case 'supervisor_requested':
      return '/admin?tab=managers'
    case 'administrators_changed':
      return '/admin?tab=settings'
    case 'manager_changed':
      return '/dashboard?tab=playlists'
    case 'token_reused':
      return role === 'admin' ? '/admin?page=record' : '/dashboard?page=record'
    case 'video_completed':
    case 'playlist_completed':
    case 'integrity':
      // Managers cannot watch the playlists of their supervisors.
      if (role === 'manager') return '/dashboard?tab=analytics'
      return playerAddress(notification) ?? (watchesTeam(role) ? '/dashboard?tab=engagement' : undefined)
    case 'comment_to_approve':
    case 'comment_reviewed':
    case 'comment_replied':
      return playerAddress(notification)
    case 'comments_moved':
    case 'unknown':
      return undefined
  }
}

function watchesTeam(role: Role): boolean {
  return role === 'supervisor' || role === 'director'
}

/** The player at the video and second. `action` tells it whether the comment was approved. */
function playerAddress({ playlist_id, video_id, timestamp, is_approved }: AddressFields): string | undefined {
  if (!playlist_id) return undefined
  return `/dashboard?${new URLSearchParams({
    playlist_id,
    ...(video_id && { video_id }),
    ...(timestamp !== null && { t: String(Math.floor(timestamp)) }),
    action: is_approved ? 'approved' : 'view',
  })}`
}
