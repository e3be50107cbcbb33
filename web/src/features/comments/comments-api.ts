import { listComments } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { fromListOperation, gateway } from '../../api/gateway.ts'

export const commentsApi = gateway.injectEndpoints({
  endpoints: build => ({
    listComments: build.query({ ...fromListOperation(listComments), providesTags: ['Comments'] }),
  }),
})

export const { useListCommentsQuery } = commentsApi

/** The query of one video's comments. All components use the same, so that it is sent once. */
export function commentsOf(playlistId: string, videoId: string) {
  return { params: { playlistId, videoId }, query: { limit: limits.pageMax } }
}
