import { loginAdmin } from '@watchline/contracts/auth'
import {
  changeManager,
  changeRole,
  changeSupervisor,
  countUsers,
  listManagers,
  listSupervisors,
  listUsers,
} from '@watchline/contracts/organisation'
import { listSupervisorRequests, reviewSupervisorRequest } from '@watchline/contracts/supervisor-requests'
import { fromListOperation, fromOperation, gateway } from '../../api/gateway.ts'

/** Whoever changes role or team shows everywhere, and leaving a role takes back the requests it was about. */
const aboutPeople = ['People', 'Team', 'Online', 'SupervisorRequests'] as const

export const adminApi = gateway.injectEndpoints({
  endpoints: build => ({
    loginAdmin: build.mutation({ ...fromOperation(loginAdmin), invalidatesTags: ['Session'] }),
    listUsers: build.query({ ...fromListOperation(listUsers), providesTags: ['People'] }),
    countUsers: build.query({ ...fromOperation(countUsers), providesTags: ['People', 'SupervisorRequests'] }),
    listSupervisors: build.query({ ...fromListOperation(listSupervisors), providesTags: ['People'] }),
    listManagers: build.query({ ...fromListOperation(listManagers), providesTags: ['People'] }),
    listSupervisorRequests: build.query({
      ...fromListOperation(listSupervisorRequests),
      providesTags: ['SupervisorRequests'],
    }),
    changeRole: build.mutation({
      ...fromOperation(changeRole),
      invalidatesTags: (_, error) => (error ? [] : aboutPeople),
    }),
    changeSupervisor: build.mutation({
      ...fromOperation(changeSupervisor),
      // Refused, too: somebody else has filled the team or moved the person, which the lists do not show yet.
      invalidatesTags: (_, error) => (error?.status === 409 ? ['People'] : error ? [] : aboutPeople),
    }),
    changeManager: build.mutation({
      ...fromOperation(changeManager),
      // Refused, too: somebody else has given one of the two another role meanwhile.
      invalidatesTags: (_, error) => (error ? ['People'] : aboutPeople),
    }),
    reviewSupervisorRequest: build.mutation({
      ...fromOperation(reviewSupervisorRequest),
      // Refused, too: what was asked for may be answered, withdrawn or taken meanwhile.
      invalidatesTags: (_, error) => (error ? ['SupervisorRequests'] : aboutPeople),
    }),
  }),
})

export const {
  useLoginAdminMutation,
  useListUsersQuery,
  useCountUsersQuery,
  useListSupervisorsQuery,
  useListManagersQuery,
  useListSupervisorRequestsQuery,
  useChangeManagerMutation,
  useChangeRoleMutation,
  useChangeSupervisorMutation,
  useReviewSupervisorRequestMutation,
} = adminApi
