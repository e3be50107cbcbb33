import {
  assignPlaylist,
  getConditionLimits,
  type ListedAssignment,
  listAssignees,
  listTasks,
  overrideTask,
  setDueDate,
  unassignPlaylist,
} from '@watchline/contracts/assignments'
import {
  assignToGroup,
  listGroupAssignments,
  previewGroupAction,
  remindGroup,
  withdrawFromGroup,
} from '@watchline/contracts/group-assignments'
import { limits } from '@watchline/contracts/limits'
import { importPlaylist, refreshPlaylist } from '@watchline/contracts/playlist-imports'
import {
  createPlaylist,
  deletePlaylist,
  dismissUnavailable,
  type Playlist,
  previewMedia,
  reportUnavailable,
  sharePlaylistWith,
  unsharePlaylist,
  updatePlaylist,
} from '@watchline/contracts/playlists'
import { callOperation } from '../../api/call-operation.ts'
import { fromListOperation, fromOperation, gateway } from '../../api/gateway.ts'
import { findPlaylist } from '../../api/lists.ts'

/** Every screen that shows playlists: for their owners, for those who assign, and for viewers. */
const playlistTags = ['Playlists', 'Tasks', 'Today'] as const
/** A change or removal of videos also changes each person's completed share. */
const engagementTags = [...playlistTags, 'Engagement'] as const
/** A rejected call changed nothing. After a 404 the playlist is gone, so the lists are old. */
const playlistTagsUnlessRefused = (_result: unknown, error: unknown) =>
  error && !isNotFound(error) ? [] : playlistTags
const engagementTagsUnlessRefused = (_result: unknown, error: unknown) =>
  error && !isNotFound(error) ? [] : engagementTags

/** As many lists of ids as a query may have, in their order. */
function splitIds(ids: readonly string[]): string[][] {
  const count = Math.ceil(ids.length / limits.idListMax)
  return Array.from({ length: count }, (_, index) =>
    ids.slice(index * limits.idListMax, (index + 1) * limits.idListMax),
  )
}

function isNotFound(error: unknown): boolean {
  return (error as { status?: unknown }).status === 404
}

export const playlistsApi = gateway.injectEndpoints({
  endpoints: build => ({
    listTasks: build.query({ ...fromListOperation(listTasks), providesTags: ['Tasks'] }),
    listAssignees: build.query({ ...fromListOperation(listAssignees), providesTags: ['Playlists'] }),
    /** The assignments of those of these people who have the playlist. */
    findAssignments: build.query<ListedAssignment[], { playlistId: string; personIds: readonly string[] }>({
      queryFn: async ({ playlistId, personIds }, { signal }) => {
        const calls = splitIds(personIds).map(ids =>
          callOperation(
            listAssignees,
            { params: { id: playlistId }, query: { limit: limits.idListMax, user_ids: ids.join(',') } },
            { signal },
          ),
        )
        const found: ListedAssignment[] = []
        for (const { ok, ...answer } of await Promise.all(calls)) {
          if (!('data' in answer)) return { error: answer }
          found.push(...answer.data)
        }
        return { data: found }
      },
      providesTags: ['Playlists'],
    }),
    getConditionLimits: build.query(fromOperation(getConditionLimits)),
    listGroupAssignments: build.query({ ...fromListOperation(listGroupAssignments), providesTags: ['Playlists'] }),
    previewGroupAction: build.query({ ...fromOperation(previewGroupAction), keepUnusedDataFor: 0 }),
    assignToGroup: build.mutation({ ...fromOperation(assignToGroup), invalidatesTags: playlistTags }),
    withdrawFromGroup: build.mutation({ ...fromOperation(withdrawFromGroup), invalidatesTags: playlistTags }),
    remindGroup: build.mutation({ ...fromOperation(remindGroup), invalidatesTags: playlistTags }),
    /** Reads the present playlist past all caches; null if it no longer exists. */
    readPlaylist: build.query<Playlist | null, string>({
      keepUnusedDataFor: 0,
      queryFn: async (id, { signal }) => {
        const result = await findPlaylist(id, signal)
        if (result.ok) return { data: result.data }
        const { ok, ...failure } = result
        return { error: failure }
      },
    }),
    previewMedia: build.query(fromOperation(previewMedia)),
    createPlaylist: build.mutation({ ...fromOperation(createPlaylist), invalidatesTags: playlistTagsUnlessRefused }),
    importPlaylist: build.mutation({ ...fromOperation(importPlaylist), invalidatesTags: playlistTagsUnlessRefused }),
    updatePlaylist: build.mutation({ ...fromOperation(updatePlaylist), invalidatesTags: engagementTagsUnlessRefused }),
    deletePlaylist: build.mutation({ ...fromOperation(deletePlaylist), invalidatesTags: engagementTagsUnlessRefused }),
    refreshPlaylist: build.mutation({
      ...fromOperation(refreshPlaylist),
      invalidatesTags: engagementTagsUnlessRefused,
    }),
    reportUnavailable: build.mutation({
      ...fromOperation(reportUnavailable),
      invalidatesTags: engagementTagsUnlessRefused,
    }),
    dismissUnavailable: build.mutation({
      ...fromOperation(dismissUnavailable),
      invalidatesTags: engagementTagsUnlessRefused,
    }),
    sharePlaylistWith: build.mutation({
      ...fromOperation(sharePlaylistWith),
      invalidatesTags: playlistTagsUnlessRefused,
    }),
    unsharePlaylist: build.mutation({ ...fromOperation(unsharePlaylist), invalidatesTags: playlistTagsUnlessRefused }),
    assignPlaylist: build.mutation({ ...fromOperation(assignPlaylist), invalidatesTags: playlistTags }),
    setDueDate: build.mutation({ ...fromOperation(setDueDate), invalidatesTags: playlistTags }),
    overrideTask: build.mutation({ ...fromOperation(overrideTask), invalidatesTags: engagementTagsUnlessRefused }),
    unassignPlaylist: build.mutation({
      // A call that waited for an undo is sent while the page closes.
      ...fromOperation(unassignPlaylist, { keepalive: true }),
      invalidatesTags: playlistTags,
    }),
  }),
})

export const {
  useListTasksQuery,
  useListAssigneesQuery,
  useFindAssignmentsQuery,
  useGetConditionLimitsQuery,
  useListGroupAssignmentsQuery,
  useLazyPreviewGroupActionQuery,
  useAssignToGroupMutation,
  useWithdrawFromGroupMutation,
  useRemindGroupMutation,
  useLazyReadPlaylistQuery,
  usePreviewMediaQuery,
  useCreatePlaylistMutation,
  useImportPlaylistMutation,
  useUpdatePlaylistMutation,
  useDeletePlaylistMutation,
  useRefreshPlaylistMutation,
  useReportUnavailableMutation,
  useDismissUnavailableMutation,
  useSharePlaylistWithMutation,
  useUnsharePlaylistMutation,
  useAssignPlaylistMutation,
  useSetDueDateMutation,
  useOverrideTaskMutation,
  useUnassignPlaylistMutation,
} = playlistsApi
