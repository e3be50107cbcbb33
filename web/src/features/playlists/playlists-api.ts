import { assignPlaylist, createPlaylist, listTasks, unassignPlaylist } from '@watchline/contracts/playback'
import { fromListOperation, fromOperation, gateway } from '../../api/gateway.ts'

export const playlistsApi = gateway.injectEndpoints({
  endpoints: build => ({
    listTasks: build.query({ ...fromListOperation(listTasks), providesTags: ['Tasks'] }),
    createPlaylist: build.mutation({
      ...fromOperation(createPlaylist),
      invalidatesTags: (_result, error) => (error ? [] : ['Playlists', 'Tasks']),
    }),
    assignPlaylist: build.mutation({
      ...fromOperation(assignPlaylist),
      invalidatesTags: ['Playlists', 'Tasks', 'Today'],
    }),
    unassignPlaylist: build.mutation({
      ...fromOperation(unassignPlaylist),
      invalidatesTags: ['Playlists', 'Tasks', 'Today'],
    }),
  }),
})

export const { useListTasksQuery, useCreatePlaylistMutation, useAssignPlaylistMutation, useUnassignPlaylistMutation } =
  playlistsApi
