import { assignPlaylist, listTasks, unassignPlaylist } from '@watchline/contracts/assignments'
import { importPlaylist, refreshPlaylist } from '@watchline/contracts/playlist-imports'
import {
  createPlaylist,
  deletePlaylist,
  type Playlist,
  sharePlaylistWith,
  unsharePlaylist,
  updatePlaylist,
} from '@watchline/contracts/playlists'
import { fromListOperation, fromOperation, gateway } from '../../api/gateway.ts'
import { findPlaylist } from '../../api/lists.ts'

/** Every screen that shows playlists: for their owners, for those who assign, and for viewers. */
const everywhere = ['Playlists', 'Tasks', 'Today'] as const
/** A change or removal of videos also changes each person's completed share. */
const withEngagement = [...everywhere, 'Engagement'] as const
/** A rejected call changed nothing. After a 404 the playlist is gone, so the lists are old. */
const unlessRefused = (_result: unknown, error: unknown) => (error && !isGone(error) ? [] : everywhere)
const withEngagementUnlessRefused = (_result: unknown, error: unknown) =>
  error && !isGone(error) ? [] : withEngagement

function isGone(error: unknown): boolean {
  return (error as { status?: unknown }).status === 404
}

export const playlistsApi = gateway.injectEndpoints({
  endpoints: build => ({
    listTasks: build.query({ ...fromListOperation(listTasks), providesTags: ['Tasks'] }),
    /** Reads the present playlist past all caches; null if it no longer exists. */
    readPlaylist: build.query<Playlist | null, string>({
      keepUnusedDataFor: 0,
      queryFn: async (id, { signal }) => {
        const found = await findPlaylist(id, signal)
        if (found.ok) return { data: found.data }
        const { ok, ...failure } = found
        return { error: failure }
      },
    }),
    createPlaylist: build.mutation({ ...fromOperation(createPlaylist), invalidatesTags: unlessRefused }),
    importPlaylist: build.mutation({ ...fromOperation(importPlaylist), invalidatesTags: unlessRefused }),
    updatePlaylist: build.mutation({ ...fromOperation(updatePlaylist), invalidatesTags: withEngagementUnlessRefused }),
    deletePlaylist: build.mutation({ ...fromOperation(deletePlaylist), invalidatesTags: withEngagementUnlessRefused }),
    refreshPlaylist: build.mutation({
      ...fromOperation(refreshPlaylist),
      invalidatesTags: withEngagementUnlessRefused,
    }),
    sharePlaylistWith: build.mutation({ ...fromOperation(sharePlaylistWith), invalidatesTags: unlessRefused }),
    unsharePlaylist: build.mutation({ ...fromOperation(unsharePlaylist), invalidatesTags: unlessRefused }),
    assignPlaylist: build.mutation({ ...fromOperation(assignPlaylist), invalidatesTags: everywhere }),
    unassignPlaylist: build.mutation({ ...fromOperation(unassignPlaylist), invalidatesTags: everywhere }),
  }),
})

export const {
  useListTasksQuery,
  useLazyReadPlaylistQuery,
  useCreatePlaylistMutation,
  useImportPlaylistMutation,
  useUpdatePlaylistMutation,
  useDeletePlaylistMutation,
  useRefreshPlaylistMutation,
  useSharePlaylistWithMutation,
  useUnsharePlaylistMutation,
  useAssignPlaylistMutation,
  useUnassignPlaylistMutation,
} = playlistsApi
