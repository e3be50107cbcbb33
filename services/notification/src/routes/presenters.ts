import type { Notification as WireNotification } from '@watchline/contracts/notification'
import { notificationTypeOf } from '../rules/activity.ts'
import { formatDueDate } from '../rules/due-date.ts'
import { composeNotificationText } from '../rules/notification-text.ts'
import type { Notification } from '../store/notifications.ts'

export function presentNotification(notification: Notification): WireNotification {
  const { group, approval, answerText } = notification
  const [person] = group.people.length === 1 ? group.people : []
  const supervisorComment = group.kind === 'comment_reviewed' ? group.text : answerText
  return {
    id: notification.id,
    ...composeNotificationText(group),
    ...(group.dueAt && group.text && { due: { at: group.dueAt, text: group.text } }),
    ...(group.graceUntil && { grace_until: { at: group.graceUntil.at, text: formatDueDate(group.graceUntil) } }),
    notification_type: notificationTypeOf(group.kind),
    kind: group.kind,
    is_read: notification.isRead,
    ...(approval && { is_approved: approval === 'pending' ? null : approval === 'approved' }),
    ...(approval && group.text !== undefined && { comment: group.text }),
    ...(approval === 'pending' && { comment_revision: notification.commentRevision ?? 1 }),
    ...(supervisorComment !== undefined && { supervisor_comment: supervisorComment }),
    created_at: notification.createdAt.toISOString(),
    updated_at: notification.updatedAt.toISOString(),
    count: group.count,
    user_id: person?.id ?? null,
    user_name: person?.name ?? null,
    playlist_id: group.playlist?.id ?? null,
    video_id: group.video?.id ?? null,
    video_title: group.video?.title ?? null,
    timestamp: group.timestamp ?? null,
  }
}
