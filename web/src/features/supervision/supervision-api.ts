import { listTeam } from '@watchline/contracts/auth'
import { limits } from '@watchline/contracts/limits'
import {
  assignPlaylist,
  createPlaylist,
  listPlaylists,
  listTasks,
  unassignPlaylist,
} from '@watchline/contracts/playback'
import { fromListOperation, fromOperation, gateway } from '../../api/gateway.ts'

export const supervisionApi = gateway.injectEndpoints({
  endpoints: build => ({
    listTeam: build.query({ ...fromListOperation(listTeam), providesTags: ['Team'] }),
    listPlaylists: build.query({ ...fromListOperation(listPlaylists), providesTags: ['Playlists'] }),
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

/** As many playlists as one answer holds: stat card, tab and open playlist read the same list. */
export const allPlaylists = { query: { limit: limits.pageMax } }

export const {
  useListTeamQuery,
  useListPlaylistsQuery,
  useListTasksQuery,
  useCreatePlaylistMutation,
  useAssignPlaylistMutation,
  useUnassignPlaylistMutation,
} = supervisionApi
