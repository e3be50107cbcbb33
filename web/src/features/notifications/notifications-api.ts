import type { ThunkDispatch, UnknownAction } from '@reduxjs/toolkit'
import {
  listNotifications,
  type Notification,
  readAllNotifications,
  readNotification,
  reviewNotification,
} from '@watchline/contracts/notification'
import type { ResponseOf } from '@watchline/contracts/operation'
import { fromOperation, gateway } from '../../api/gateway.ts'

export type NotificationsPage = ResponseOf<typeof listNotifications> & { nextCursor?: string }

/** Two lists of the same notifications: all of them, and by itself what waits for an answer, however old it is. */
export type NotificationList = 'all' | 'waiting'

const lists: readonly NotificationList[] = ['all', 'waiting']
const pageSize = 30

export const notificationsApi = gateway.injectEndpoints({
  endpoints: build => ({
    /** Newest first. Asked for again, all pages that are shown are, one after the other, so that nothing falls between them. */
    listNotifications: build.infiniteQuery<NotificationsPage, NotificationList, string | undefined>({
      infiniteQueryOptions: { initialPageParam: undefined, getNextPageParam: page => page.nextCursor },
      query: ({ queryArg, pageParam }) => {
        const waiting = queryArg === 'waiting' ? 'true' : undefined
        return fromOperation(listNotifications).query({ query: { limit: pageSize, cursor: pageParam, waiting } })
      },
      transformResponse: (answer: unknown, meta: { nextCursor?: string } | undefined) => ({
        ...(answer as ResponseOf<typeof listNotifications>),
        nextCursor: meta?.nextCursor,
      }),
      providesTags: ['Notifications'],
    }),
    readNotification: build.mutation({
      ...fromOperation(readNotification),
      onQueryStarted: ({ params }, { dispatch, queryFulfilled }) => {
        const undo = showAsRead(dispatch, each => each.id === params.id)
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
      ...fromOperation(reviewNotification),
      onQueryStarted: async ({ params, body }, { dispatch, queryFulfilled }) => {
        const answered = await queryFulfilled.catch(() => undefined)
        const words = body.supervisor_comment?.trim()
        if (answered) showAnswer(dispatch, params.id, body.action === 'approve', words)
      },
      // Refused, too: it may be answered or somebody else's meanwhile.
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

// biome-ignore lint/suspicious/noExplicitAny: RTK Query's own dispatch knows no more of the whole state
type Dispatch = ThunkDispatch<any, unknown, UnknownAction>

/** Shows as read what the server has not confirmed yet; answers how to take that back. */
function showAsRead(dispatch: Dispatch, which: (each: Notification) => boolean, unreadAfter?: number): () => void {
  const patches = lists.map(list =>
    dispatch(
      notificationsApi.util.updateQueryData('listNotifications', list, ({ pages }) => {
        const unread = pages.flatMap(page => page.notifications).filter(each => !each.is_read && which(each))
        for (const each of unread) each.is_read = true
        for (const page of pages) page.unread_count = unreadAfter ?? Math.max(0, page.unread_count - unread.length)
      }),
    ),
  )
  return () => {
    for (const patch of patches) patch.undo()
  }
}

/** The answer that the server has just taken, at once where it is shown. */
function showAnswer(dispatch: Dispatch, id: string, approved: boolean, words: string | undefined): void {
  showAsRead(dispatch, each => each.id === id)
  for (const list of lists)
    dispatch(
      notificationsApi.util.updateQueryData('listNotifications', list, ({ pages }) => {
        const found = pages.flatMap(page => page.notifications).find(each => each.id === id)
        if (found?.is_approved !== null) return
        found.is_approved = approved
        found.supervisor_comment = words
        for (const page of pages) page.pending_approvals = Math.max(0, page.pending_approvals - 1)
      }),
    )
}

/** Only the newest page stays of what was looked through, so that polling asks for no more. */
export function putPagesAway(dispatch: Dispatch): void {
  dispatch(
    notificationsApi.util.updateQueryData('listNotifications', 'all', data => {
      data.pages.splice(1)
      data.pageParams.splice(1)
    }),
  )
}
