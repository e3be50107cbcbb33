import { getSystemStatus } from '@watchline/contracts/auth'
import { fromOperation, gateway } from '../../api/gateway.ts'

export const settingsApi = gateway.injectEndpoints({
  endpoints: build => ({
    getSystemStatus: build.query(fromOperation(getSystemStatus)),
  }),
})

export const { useGetSystemStatusQuery } = settingsApi
