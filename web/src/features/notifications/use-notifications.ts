import { limits } from '@watchline/contracts/limits'
import { useHintedPolling } from '../../api/polling.ts'
import { type NotificationList, notificationsApi, useListNotificationsInfiniteQuery } from './notifications-api.ts'

/** One of the two lists, refreshed at the dashboard's interval. */
export function useNotifications(list: NotificationList, { skip = false } = {}) {
  return useListNotificationsInfiniteQuery(list, {
    ...useHintedPolling(limits.notificationsPollMs),
    refetchOnMountOrArgChange: list === 'waiting',
    skip,
  })
}

export type Notifications = ReturnType<typeof useNotifications>

/**
 * The number of comments that wait for the person's review, as the bell knows it; undefined until
 * then. It makes no call of its own.
 */
export function usePendingReviews(): number | undefined {
  return notificationsApi.endpoints.listNotifications.useInfiniteQueryState('all').data?.pages[0]?.pending_approvals
}

/**
 * Keeps the bell's list fresh while the calling team panel is mounted. Both share one query: it
 * polls at the shorter of their intervals, so the panel adds no call while the bell polls.
 */
export function useTeamPanelNotifications(): void {
  notificationsApi.endpoints.listNotifications.useInfiniteQuerySubscription(
    'all',
    useHintedPolling(limits.notificationsPanelPollMs),
  )
}
