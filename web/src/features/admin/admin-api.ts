import {
  changeRole,
  changeSupervisor,
  countUsers,
  listSupervisors,
  listUsers,
  loginAdmin,
} from '@watchline/contracts/auth'
import { fromListOperation, fromOperation, gateway } from '../../api/gateway.ts'

export const adminApi = gateway.injectEndpoints({
  endpoints: build => ({
    loginAdmin: build.mutation({ ...fromOperation(loginAdmin), invalidatesTags: ['Session'] }),
    listUsers: build.query({ ...fromListOperation(listUsers), providesTags: ['People'] }),
    countUsers: build.query({ ...fromOperation(countUsers), providesTags: ['People'] }),
    listSupervisors: build.query({ ...fromListOperation(listSupervisors), providesTags: ['People'] }),
    changeRole: build.mutation({
      ...fromOperation(changeRole),
      invalidatesTags: (_, error) => (error ? [] : ['People', 'Team', 'Online']),
    }),
    changeSupervisor: build.mutation({
      ...fromOperation(changeSupervisor),
      invalidatesTags: (_, error) => (error ? [] : ['People', 'Team', 'Online']),
    }),
  }),
})

export const {
  useLoginAdminMutation,
  useListUsersQuery,
  useCountUsersQuery,
  useListSupervisorsQuery,
  useChangeRoleMutation,
  useChangeSupervisorMutation,
} = adminApi
