import { changeAdminPassword, getSystemStatus } from '@watchline/contracts/auth'
import { limits } from '@watchline/contracts/limits'
import { fromOperation, gateway } from '../../../api/gateway.ts'

export const settingsApi = gateway.injectEndpoints({
  endpoints: build => ({
    getSystemStatus: build.query(fromOperation(getSystemStatus, { timeoutMs: limits.systemStatusTimeoutMs })),
    changeAdminPassword: build.mutation(fromOperation(changeAdminPassword)),
  }),
})

export const { useGetSystemStatusQuery, useChangeAdminPasswordMutation } = settingsApi
