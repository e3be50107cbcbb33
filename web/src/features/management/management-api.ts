import { getTeam, type TeamAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { listSupervisors } from '@watchline/contracts/organisation'
import { sharePlaylist } from '@watchline/contracts/playlist-imports'
import { listOwnRequests, requestSupervisor } from '@watchline/contracts/supervisor-requests'
import { readAllPages } from '../../api/all-pages.ts'
import { fromListOperation, fromOperation, gateway } from '../../api/gateway.ts'

export const managementApi = gateway.injectEndpoints({
  endpoints: build => ({
    /** All members of the manager's supervisors' teams. */
    readWholeTeam: build.query<TeamAnalytics, void>({
      queryFn: async (_, { signal }) => {
        const pages = await readAllPages(getTeam, signal)
        if ('error' in pages) return pages
        const members = pages.data.flatMap(page => page.members)
        const first = pages.data[0]
        return {
          data: { team_count: first?.team_count ?? 0, average_completion: first?.average_completion ?? 0, members },
        }
      },
      providesTags: ['Engagement'],
    }),
    /** Supervisors without a manager. */
    listAvailableSupervisors: build.query({
      ...fromListOperation(listSupervisors),
      providesTags: ['People', 'SupervisorRequests'],
    }),
    listOwnRequests: build.query({ ...fromListOperation(listOwnRequests), providesTags: ['SupervisorRequests'] }),
    // Also after an error: it means that the lists were old.
    requestSupervisor: build.mutation({
      ...fromOperation(requestSupervisor),
      invalidatesTags: ['SupervisorRequests'],
    }),
    sharePlaylist: build.mutation({
      ...fromOperation(sharePlaylist),
      invalidatesTags: (_result, error) => (error ? ['Team'] : ['Playlists', 'Tasks']),
    }),
  }),
})

/** The latest requests, as many as one response can hold. */
export const latestRequests = { query: { limit: limits.pageMax } }

export const {
  useReadWholeTeamQuery,
  useListAvailableSupervisorsQuery,
  useListOwnRequestsQuery,
  useRequestSupervisorMutation,
  useSharePlaylistMutation,
} = managementApi
