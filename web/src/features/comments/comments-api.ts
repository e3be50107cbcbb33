import { deleteComment, editComment, hideComment, listComments } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { fromListOperation, fromOperation, gateway } from '../../api/gateway.ts'

// Changes also reload the list after an error: somebody else may have changed the comment.
export const commentsApi = gateway.injectEndpoints({
  endpoints: build => ({
    listComments: build.query({ ...fromListOperation(listComments), providesTags: ['Comments'] }),
    editComment: build.mutation({ ...fromOperation(editComment), invalidatesTags: ['Comments'] }),
    // A call that waited for an undo is sent while the page closes.
    deleteComment: build.mutation({
      ...fromOperation(deleteComment, { keepalive: true }),
      invalidatesTags: ['Comments'],
    }),
    hideComment: build.mutation({ ...fromOperation(hideComment, { keepalive: true }), invalidatesTags: ['Comments'] }),
  }),
})

export const { useListCommentsQuery, useEditCommentMutation, useDeleteCommentMutation, useHideCommentMutation } =
  commentsApi

/** The query of one video's comments. All components use the same, so that it is sent once. */
export function commentsOf(playlistId: string, videoId: string, cursor?: string) {
  return { params: { playlistId, videoId }, query: { limit: limits.pageMax, ...(cursor && { cursor }) } }
}
