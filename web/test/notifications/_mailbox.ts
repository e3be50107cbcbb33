import {
  listNotifications,
  type Notification,
  readAllNotifications,
  readNotification,
  reviewNotification,
} from '@watchline/contracts/notification'
import type { fakeApi } from '../support/fake-api.ts'
import { refusal } from '../support/fake-api.ts'
import { aNotificationList } from '../support/notifications.ts'

/** The notification service in small: what is read or answered is so when it is asked for again. */
export function mailbox(api: ReturnType<typeof fakeApi>) {
  let kept: Notification[] = []
  const change = (which: (each: Notification) => boolean, changes: Partial<Notification>) => {
    kept = kept.map(each => (which(each) ? { ...each, ...changes } : each))
  }

  return {
    /** From now on these are there. */
    holds(...notifications: Notification[]) {
      kept = notifications
    },
    comes(notification: Notification) {
      kept = [...kept, notification]
    },
    change,
    answer() {
      api.answer(listNotifications, ({ query }) => {
        const all = aNotificationList(kept)
        const waits = all.notifications.filter(each => each.is_approved === null)
        return { ...all, notifications: query.waiting ? waits : all.notifications }
      })
      api.answer(readNotification, ({ params }) => {
        change(({ id }) => id === params.id, { is_read: true })
        return { success: true as const }
      })
      api.answer(readAllNotifications, () => {
        change(() => true, { is_read: true })
        return { success: true as const }
      })
      api.answer(reviewNotification, ({ params, body }) => {
        const { action, supervisor_comment } = body as { action: string; supervisor_comment: string }
        const found = kept.find(({ id }) => id === params.id)
        if (!found) return refusal('not_found')
        if (found.is_approved !== null) return refusal('already_reviewed')
        change(each => each === found, { is_approved: action === 'approve', is_read: true, supervisor_comment })
        return {
          success: true as const,
          redirect_url: '/dashboard?playlist_id=safety&video_id=exits&t=75&action=approved',
        }
      })
    },
  }
}
