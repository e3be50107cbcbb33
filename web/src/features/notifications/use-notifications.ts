import { limits } from '@watchline/contracts/limits'
import { usePolling } from '../../api/polling.ts'
import { type NotificationList, useListNotificationsInfiniteQuery } from './notifications-api.ts'

/** One of the two lists, refreshed at the dashboard's interval. */
export function useNotifications(list: NotificationList, { skip = false } = {}) {
  return useListNotificationsInfiniteQuery(list, {
    ...usePolling(limits.notificationsPollMs),
    refetchOnMountOrArgChange: list === 'waiting',
    skip,
  })
}

export type Notifications = ReturnType<typeof useNotifications>
