import { limits } from '@watchline/contracts/limits'
import { listOnline } from '@watchline/contracts/playback'
import { fromOperation, gateway } from '../../api/gateway.ts'

export const presenceApi = gateway.injectEndpoints({
  endpoints: build => ({
    listOnline: build.query({ ...fromOperation(listOnline), providesTags: ['Online'] }),
  }),
})

/** One list for banner and panel alike, so that their numbers never contradict each other. */
export const everyoneOnline = { query: { limit: limits.pageMax } }

export const { useListOnlineQuery } = presenceApi
