import { changeAdminPassword, getSystemStatus } from '@watchline/contracts/auth'
import { limits } from '@watchline/contracts/limits'
import { clearBounce, getMailStatus, sendTestMail } from '@watchline/contracts/mail'
import { fromOperation, gateway } from '../../../api/gateway.ts'

export const settingsApi = gateway.injectEndpoints({
  endpoints: build => ({
    getSystemStatus: build.query(fromOperation(getSystemStatus, { timeoutMs: limits.systemStatusTimeoutMs })),
    changeAdminPassword: build.mutation(fromOperation(changeAdminPassword)),
    getMailStatus: build.query({ ...fromOperation(getMailStatus), providesTags: ['Mails'] }),
    sendTestMail: build.mutation(fromOperation(sendTestMail, { timeoutMs: limits.awaitedMailMs + 10_000 })),
    clearBounce: build.mutation({ ...fromOperation(clearBounce), invalidatesTags: ['Mails'] }),
  }),
})

export const {
  useGetSystemStatusQuery,
  useChangeAdminPasswordMutation,
  useGetMailStatusQuery,
  useSendTestMailMutation,
  useClearBounceMutation,
} = settingsApi
