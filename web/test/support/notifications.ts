import type { listNotifications, Notification } from '@watchline/contracts/notification'
import type { ResponseOf } from '@watchline/contracts/operation'

let count = 0

/** Makes a notification of a few minutes ago, newer than the one made before. */
export function makeNotification(changes: Partial<Notification> = {}): Notification {
  count += 1
  const time = new Date(Date.now() - 10 * 60_000 + count).toISOString()
  return {
    id: `notification-${count}`,
    title: 'Video completed',
    message: 'Trainee One completed “Fire exits”.',
    notification_type: 'engagement',
    kind: 'video_completed',
    is_read: false,
    created_at: time,
    updated_at: time,
    count: 1,
    user_id: 'trainee1',
    user_name: 'Trainee One',
    playlist_id: 'safety',
    video_id: 'exits',
    video_title: 'Fire exits',
    timestamp: null,
    ...changes,
  }
}

export function makeWaitingComment(changes: Partial<Notification> = {}): Notification {
  const comment = changes.comment ?? 'What about the lift?'
  return makeNotification({
    title: 'New comment',
    message: `Trainee One at 1:15 in “Fire exits”: “${comment}”`,
    notification_type: 'comment',
    kind: 'comment_to_approve',
    is_approved: null,
    timestamp: 75.4,
    comment,
    ...changes,
  })
}

/** The server's answer: newest first, with the counts of these notifications unless changed. */
export function makeNotificationList(
  notifications: readonly Notification[],
  changes: Partial<ResponseOf<typeof listNotifications>> = {},
): ResponseOf<typeof listNotifications> {
  return {
    notifications: [...notifications].sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1)),
    unread_count: notifications.filter(({ is_read }) => !is_read).length,
    pending_approvals: notifications.filter(({ is_approved }) => is_approved === null).length,
    ...changes,
  }
}
