import { limits } from '@watchline/contracts/limits'
import { usePolling } from '../../api/polling.ts'
import { type NotificationList, useListNotificationsInfiniteQuery } from './notifications-api.ts'

/** One of the two lists, asked for again at the dashboard's pace. */
export function useNotifications(list: NotificationList, { skip = false } = {}) {
  return useListNotificationsInfiniteQuery(list, {
    ...usePolling(limits.notificationsPollMs),
    refetchOnMountOrArgChange: list === 'waiting',
    skip,
  })
}

export type Notifications = ReturnType<typeof useNotifications>
