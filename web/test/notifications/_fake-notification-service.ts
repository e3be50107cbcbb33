import {
  listNotifications,
  type Notification,
  readAllNotifications,
  readNotification,
  reviewNotification,
} from '@watchline/contracts/notification'
import type { createFakeApi } from '../support/fake-api.ts'
import { refusal } from '../support/fake-api.ts'
import { makeNotificationList } from '../support/notifications.ts'

/** A notification service in memory. The next request sees the changes of the one before. */
export function createFakeNotificationService(api: ReturnType<typeof createFakeApi>) {
  let stored: Notification[] = []

  function update(matches: (notification: Notification) => boolean, changes: Partial<Notification>) {
    stored = stored.map(notification => (matches(notification) ? { ...notification, ...changes } : notification))
  }

  return {
    setNotifications(...notifications: Notification[]) {
      stored = notifications
    },
    addNotification(notification: Notification) {
      stored = [...stored, notification]
    },
    update,
    /** Answers every operation on notifications from the stored ones. */
    answerCalls() {
      api.answer(listNotifications, ({ query }) => {
        const list = makeNotificationList(stored)
        const pending = list.notifications.filter(({ is_approved }) => is_approved === null)
        return { ...list, notifications: query.waiting ? pending : list.notifications }
      })
      api.answer(readNotification, ({ params }) => {
        update(({ id }) => id === params.id, { is_read: true })
        return { success: true as const }
      })
      api.answer(readAllNotifications, () => {
        update(() => true, { is_read: true })
        return { success: true as const }
      })
      api.answer(reviewNotification, ({ params, body }) => {
        const { action, supervisor_comment } = body as { action: string; supervisor_comment: string }
        const reviewed = stored.find(({ id }) => id === params.id)
        if (!reviewed) return refusal('not_found')
        if (reviewed.is_approved !== null) return refusal('already_reviewed')
        update(({ id }) => id === reviewed.id, {
          is_approved: action === 'approve',
          is_read: true,
          supervisor_comment,
        })
        return {
          success: true as const,
          redirect_url: '/dashboard?playlist_id=safety&video_id=exits&t=75&action=approved',
        }
      })
    },
  }
}
