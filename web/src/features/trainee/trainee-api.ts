import { getToday, listAssignments } from '@watchline/contracts/assignments'
import { getSessionStatus } from '@watchline/contracts/playback'
import { fromListOperation, fromOperation, gateway } from '../../api/gateway.ts'

export const traineeApi = gateway.injectEndpoints({
  endpoints: build => ({
    getToday: build.query({ ...fromOperation(getToday), providesTags: ['Today'] }),
    listAssignments: build.query({ ...fromListOperation(listAssignments), providesTags: ['Today'] }),
    getSessionStatus: build.query({ ...fromOperation(getSessionStatus), providesTags: ['Today'] }),
  }),
})

export const { useGetTodayQuery, useListAssignmentsQuery, useGetSessionStatusQuery } = traineeApi
