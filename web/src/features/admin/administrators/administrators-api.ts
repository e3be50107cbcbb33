import {
  inviteAdministrator,
  listAdministrators,
  removeAdministrator,
  withdrawAdminInvitation,
} from '@watchline/contracts/administrators'
import { limits } from '@watchline/contracts/limits'
import { mailAdminInvitation } from '@watchline/contracts/mail'
import { fromOperation, gateway } from '../../../api/gateway.ts'

export const administratorsApi = gateway.injectEndpoints({
  endpoints: build => ({
    listAdministrators: build.query({ ...fromOperation(listAdministrators), providesTags: ['Administrators'] }),
    inviteAdministrator: build.mutation({
      ...fromOperation(inviteAdministrator),
      invalidatesTags: ['Administrators'],
    }),
    mailAdminInvitation: build.mutation(
      fromOperation(mailAdminInvitation, { timeoutMs: limits.awaitedMailMs + 10_000 }),
    ),
    withdrawAdminInvitation: build.mutation({
      ...fromOperation(withdrawAdminInvitation),
      invalidatesTags: ['Administrators'],
    }),
    removeAdministrator: build.mutation({
      ...fromOperation(removeAdministrator),
      // Administrators may remove themselves, which ends their session.
      invalidatesTags: ['Administrators', 'People', 'Session'],
    }),
  }),
})

export const {
  useListAdministratorsQuery,
  useInviteAdministratorMutation,
  useMailAdminInvitationMutation,
  useWithdrawAdminInvitationMutation,
  useRemoveAdministratorMutation,
} = administratorsApi
