import { getWatched } from '@watchline/contracts/engagement'
import { fromOperation, gateway } from '../../api/gateway.ts'

export const creditedApi = gateway.injectEndpoints({
  endpoints: build => ({
    getWatched: build.query({ ...fromOperation(getWatched), providesTags: ['Engagement'] }),
  }),
})

export const { useGetWatchedQuery } = creditedApi
