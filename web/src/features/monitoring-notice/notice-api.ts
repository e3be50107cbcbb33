import { answerMonitoringNotice, getMonitoringNotice } from '@watchline/contracts/playback'
import { fromOperation, gateway } from '../../api/gateway.ts'

export const noticeApi = gateway.injectEndpoints({
  endpoints: build => ({
    getMonitoringNotice: build.query({ ...fromOperation(getMonitoringNotice), providesTags: ['Session'] }),
    answerMonitoringNotice: build.mutation({
      ...fromOperation(answerMonitoringNotice),
      // Also after an error: the text may have changed.
      invalidatesTags: ['Session'],
    }),
  }),
})

export const { useGetMonitoringNoticeQuery, useAnswerMonitoringNoticeMutation } = noticeApi
