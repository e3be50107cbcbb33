import type { Route } from '@watchline/kit/http/route'
import type { NotificationContext } from '../context.ts'
import { countOwnNotifications } from './count-own-notifications.ts'
import { exportNotificationData } from './export-notification-data.ts'
import { listNotifications } from './list-notifications.ts'
import { openStream } from './open-stream.ts'
import { readAllNotifications } from './read-all-notifications.ts'
import { readNotification } from './read-notification.ts'
import { reviewNotification } from './review-notification.ts'

/** The HTTP entry points of this service. */
export const routes: readonly Route<NotificationContext>[] = [
  listNotifications,
  countOwnNotifications,
  exportNotificationData,
  reviewNotification,
  readNotification,
  readAllNotifications,
  openStream,
]
