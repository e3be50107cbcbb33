import { getFailedSignIns } from '@watchline/contracts/audit'
import { fromOperation, gateway } from '../../../api/gateway.ts'

export const securityApi = gateway.injectEndpoints({
  endpoints: build => ({
    getFailedSignIns: build.query(fromOperation(getFailedSignIns)),
  }),
})

export const { useGetFailedSignInsQuery } = securityApi
