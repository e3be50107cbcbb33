import { listOwnSupervisors, listTeam } from '@watchline/contracts/auth'
import { limits } from '@watchline/contracts/limits'
import { listPlaylists } from '@watchline/contracts/playback'
import { fromListOperation, gateway } from './gateway.ts'

/** The lists that more than one feature reads. */
export const listsApi = gateway.injectEndpoints({
  endpoints: build => ({
    listTeam: build.query({ ...fromListOperation(listTeam), providesTags: ['Team'] }),
    listPlaylists: build.query({ ...fromListOperation(listPlaylists), providesTags: ['Playlists'] }),
    listOwnSupervisors: build.query({ ...fromListOperation(listOwnSupervisors), providesTags: ['Team'] }),
  }),
})

/** As many playlists as one answer holds: stat card, tab and open playlist read the same list. */
export const allPlaylists = { query: { limit: limits.pageMax } }

export const { useListTeamQuery, useListPlaylistsQuery, useListOwnSupervisorsQuery } = listsApi
