import { listComments } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { fromListOperation, gateway } from '../../api/gateway.ts'

export const commentsApi = gateway.injectEndpoints({
  endpoints: build => ({
    listComments: build.query({ ...fromListOperation(listComments), providesTags: ['Comments'] }),
  }),
})

export const { useListCommentsQuery } = commentsApi

/** The comments of one video, as everything that shows them asks for them, so that it is asked once. */
export function commentsOf(playlistId: string, videoId: string) {
  return { params: { playlistId, videoId }, query: { limit: limits.pageMax } }
}
