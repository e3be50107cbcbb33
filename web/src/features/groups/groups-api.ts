import {
  addGroupMembers,
  createGroup,
  deleteGroup,
  getGroup,
  importGroupMembers,
  listGroupClaims,
  listGroupMembers,
  previewGroupImport,
  removeGroupMembers,
  updateGroup,
} from '@watchline/contracts/groups'
import { fromListOperation, fromOperation, gateway } from '../../api/gateway.ts'

export const groupsApi = gateway.injectEndpoints({
  endpoints: build => ({
    getGroup: build.query({ ...fromOperation(getGroup), providesTags: ['Groups'] }),
    listGroupClaims: build.query(fromOperation(listGroupClaims)),
    listGroupMembers: build.query({ ...fromListOperation(listGroupMembers), providesTags: ['Groups'] }),
    createGroup: build.mutation({ ...fromOperation(createGroup), invalidatesTags: ['Groups'] }),
    updateGroup: build.mutation({ ...fromOperation(updateGroup), invalidatesTags: ['Groups'] }),
    deleteGroup: build.mutation({ ...fromOperation(deleteGroup), invalidatesTags: ['Groups'] }),
    addGroupMembers: build.mutation({ ...fromOperation(addGroupMembers), invalidatesTags: ['Groups'] }),
    removeGroupMembers: build.mutation({
      // A call that waited for an undo is sent while the page closes.
      ...fromOperation(removeGroupMembers, { keepalive: true }),
      invalidatesTags: ['Groups'],
    }),
    previewGroupImport: build.mutation(fromOperation(previewGroupImport)),
    importGroupMembers: build.mutation({ ...fromOperation(importGroupMembers), invalidatesTags: ['Groups'] }),
  }),
})

export const {
  useGetGroupQuery,
  useListGroupClaimsQuery,
  useListGroupMembersQuery,
  useCreateGroupMutation,
  useUpdateGroupMutation,
  useDeleteGroupMutation,
  useAddGroupMembersMutation,
  useRemoveGroupMembersMutation,
  usePreviewGroupImportMutation,
  useImportGroupMembersMutation,
} = groupsApi
