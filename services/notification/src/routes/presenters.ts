import type { Notification as WireNotification } from '@watchline/contracts/notification'
import { familyOf } from '../rules/activity.ts'
import { wordingOf } from '../rules/wording.ts'
import type { Notification } from '../store/notifications.ts'

export function presentNotification(notification: Notification): WireNotification {
  const { facts, approval, words } = notification
  const [person] = facts.people.length === 1 ? facts.people : []
  const answer = facts.kind === 'comment_reviewed' ? facts.text : words
  return {
    id: notification.id,
    ...wordingOf(facts),
    notification_type: familyOf(facts.kind),
    kind: facts.kind,
    is_read: notification.isRead,
    ...(approval && { is_approved: approval === 'pending' ? null : approval === 'approved' }),
    ...(approval && facts.text !== undefined && { comment: facts.text }),
    ...(answer !== undefined && { supervisor_comment: answer }),
    created_at: notification.createdAt.toISOString(),
    updated_at: notification.updatedAt.toISOString(),
    count: facts.count,
    user_id: person?.id ?? null,
    user_name: person?.name ?? null,
    playlist_id: facts.playlist?.id ?? null,
    video_id: facts.video?.id ?? null,
    video_title: facts.video?.title ?? null,
    timestamp: facts.timestamp ?? null,
  }
}

/** Where an answered notification leads: the player, at the second the comment is about. */
export function redirectUrlOf({ facts }: Notification): string {
  const query = new URLSearchParams({
    playlist_id: facts.playlist?.id ?? '',
    video_id: facts.video?.id ?? '',
    t: String(Math.floor(facts.timestamp ?? 0)),
    action: 'approved',
  })
  return `/dashboard?${query}`
}
