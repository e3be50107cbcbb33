import { loginAdmin } from '@watchline/contracts/auth'
import {
  changeManager,
  changeRole,
  changeStatus,
  changeSupervisor,
  countUsers,
  deleteUser,
  endSessionsOfUser,
  listManagers,
  listSupervisors,
  listUsers,
} from '@watchline/contracts/organisation'
import { eraseUser } from '@watchline/contracts/privacy'
import { listSupervisorRequests, reviewSupervisorRequest } from '@watchline/contracts/supervisor-requests'
import { fromListOperation, fromOperation, gateway } from '../../api/gateway.ts'

/** A changed role or team shows on every screen; leaving a role withdraws the requests about it. */
const aboutPeople = ['People', 'Team', 'Online', 'SupervisorRequests'] as const

export const adminApi = gateway.injectEndpoints({
  endpoints: build => ({
    loginAdmin: build.mutation({
      ...fromOperation(loginAdmin),
      invalidatesTags: (_, error) => (error ? [] : ['Session']),
    }),
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
      // Also after a conflict: somebody else filled the team, and the lists are old.
      invalidatesTags: (_, error) => (error?.status === 409 ? ['People'] : error ? [] : aboutPeople),
    }),
    changeSupervisor: build.mutation({
      ...fromOperation(changeSupervisor),
      // Also after a conflict: somebody else filled the team or changed the person, and the lists
      // are old.
      invalidatesTags: (_, error) => (error?.status === 409 ? ['People'] : error ? [] : aboutPeople),
    }),
    changeManager: build.mutation({
      ...fromOperation(changeManager),
      // Also after an error: somebody else may have changed the role of one of the two.
      invalidatesTags: (_, error) => (error ? ['People'] : aboutPeople),
    }),
    changeStatus: build.mutation({
      ...fromOperation(changeStatus),
      invalidatesTags: (_, error) => (error ? ['People'] : aboutPeople),
    }),
    eraseUser: build.mutation({
      ...fromOperation(eraseUser),
      invalidatesTags: (_, error) => (error ? ['People'] : aboutPeople),
    }),
    deleteUser: build.mutation({
      ...fromOperation(deleteUser),
      invalidatesTags: (_, error) => (error ? ['People'] : aboutPeople),
    }),
    endSessionsOfUser: build.mutation({ ...fromOperation(endSessionsOfUser), invalidatesTags: ['Online'] }),
    reviewSupervisorRequest: build.mutation({
      ...fromOperation(reviewSupervisorRequest),
      // Also after an error: the request may be answered or withdrawn, or the supervisor assigned
      // elsewhere.
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
  useChangeStatusMutation,
  useChangeSupervisorMutation,
  useDeleteUserMutation,
  useEndSessionsOfUserMutation,
  useEraseUserMutation,
  useReviewSupervisorRequestMutation,
} = adminApi
