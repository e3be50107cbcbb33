import {
  listNotifications,
  type Notification,
  readAllNotifications,
  readNotification,
  reviewNotification,
} from '@watchline/contracts/notification'
import type { ResponseOf } from '@watchline/contracts/operation'
import { type CacheDispatch, fromOperation, gateway } from '../../api/gateway.ts'

export type NotificationsPage = ResponseOf<typeof listNotifications> & { nextCursor?: string }

/** Two lists of the same notifications: all, and those of any age that wait for an answer. */
export type NotificationList = 'all' | 'waiting'

const lists: readonly NotificationList[] = ['all', 'waiting']
const pageSize = 30

export const notificationsApi = gateway.injectEndpoints({
  endpoints: build => ({
    /**
     * Newest first. A refetch loads all shown pages in order, so that no notification is missed.
     */
    listNotifications: build.infiniteQuery<NotificationsPage, NotificationList, string | undefined>({
      infiniteQueryOptions: { initialPageParam: undefined, getNextPageParam: page => page.nextCursor },
      query: ({ queryArg, pageParam }) => {
        const waiting = queryArg === 'waiting' ? 'true' : undefined
        return fromOperation(listNotifications).query({ query: { limit: pageSize, cursor: pageParam, waiting } })
      },
      transformResponse: (response: unknown, meta: { nextCursor?: string } | undefined) => ({
        ...(response as ResponseOf<typeof listNotifications>),
        nextCursor: meta?.nextCursor,
      }),
      providesTags: ['Notifications'],
    }),
    readNotification: build.mutation({
      ...fromOperation(readNotification),
      onQueryStarted: ({ params }, { dispatch, queryFulfilled }) => {
        const undo = showAsRead(dispatch, notification => notification.id === params.id)
        queryFulfilled.catch(undo)
      },
      invalidatesTags: ['Notifications'],
    }),
    readAllNotifications: build.mutation({
      ...fromOperation(readAllNotifications),
      onQueryStarted: (_, { dispatch, queryFulfilled }) => {
        const undo = showAsRead(dispatch, () => true, 0)
        queryFulfilled.catch(undo)
      },
      invalidatesTags: ['Notifications'],
    }),
    reviewNotification: build.mutation({
      // An answer that waited for an undo is sent while the page closes.
      ...fromOperation(reviewNotification, { keepalive: true }),
      onQueryStarted: async ({ params, body }, { dispatch, queryFulfilled }) => {
        const response = await queryFulfilled.catch(() => undefined)
        const comment = body.supervisor_comment?.trim()
        if (response) showAnswer(dispatch, params.id, body.action === 'approve', comment)
      },
      // Also after an error: somebody else may have answered, or the comment may have moved.
      invalidatesTags: ['Notifications'],
    }),
  }),
})

export const {
  useListNotificationsInfiniteQuery,
  useReadNotificationMutation,
  useReadAllNotificationsMutation,
  useReviewNotificationMutation,
} = notificationsApi

/** Marks notifications as read before the server confirms. Returns a function that undoes it. */
function showAsRead(
  dispatch: CacheDispatch,
  matches: (notification: Notification) => boolean,
  unreadCount?: number,
): () => void {
  const patches = lists.map(list =>
    dispatch(
      notificationsApi.util.updateQueryData('listNotifications', list, ({ pages }) => {
        const unread = pages
          .flatMap(page => page.notifications)
          .filter(notification => !notification.is_read && matches(notification))
        for (const notification of unread) notification.is_read = true
        for (const page of pages) page.unread_count = unreadCount ?? Math.max(0, page.unread_count - unread.length)
      }),
    ),
  )
  return () => {
    for (const patch of patches) patch.undo()
  }
}

/** Shows an accepted answer at once in every list. */
function showAnswer(dispatch: CacheDispatch, id: string, isApproved: boolean, comment: string | undefined): void {
  showAsRead(dispatch, notification => notification.id === id)
  for (const list of lists)
    dispatch(
      notificationsApi.util.updateQueryData('listNotifications', list, ({ pages }) => {
        const reviewed = pages.flatMap(page => page.notifications).find(notification => notification.id === id)
        if (reviewed?.is_approved !== null) return
        reviewed.is_approved = isApproved
        reviewed.supervisor_comment = comment
        for (const page of pages) page.pending_approvals = Math.max(0, page.pending_approvals - 1)
      }),
    )
}

/** Keeps only the newest page, so that polling loads no more than that. */
export function dropOlderPages(dispatch: CacheDispatch): void {
  dispatch(
    notificationsApi.util.updateQueryData('listNotifications', 'all', data => {
      data.pages.splice(1)
      data.pageParams.splice(1)
    }),
  )
}
