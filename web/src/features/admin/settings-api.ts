import { getSystemStatus } from '@watchline/contracts/auth'
import { getVideoDataStatus } from '@watchline/contracts/playback'
import { fromOperation, gateway } from '../../api/gateway.ts'

export const settingsApi = gateway.injectEndpoints({
  endpoints: build => ({
    getSystemStatus: build.query(fromOperation(getSystemStatus)),
    getVideoDataStatus: build.query(fromOperation(getVideoDataStatus)),
  }),
  // Whoever else needs to know whether YouTube can be read may declare the same.
  overrideExisting: true,
})

export const { useGetSystemStatusQuery, useGetVideoDataStatusQuery } = settingsApi
