import { getTeamAnalytics, listTeams, type TeamAnalytics, type TeamFigures } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { listSupervisors } from '@watchline/contracts/organisation'
import { sharePlaylist } from '@watchline/contracts/playlist-imports'
import { listOwnRequests, requestSupervisor, withdrawRequest } from '@watchline/contracts/supervisor-requests'
import { readAllPages } from '../../api/all-pages.ts'
import { fromListOperation, fromOperation, gateway } from '../../api/gateway.ts'

export const managementApi = gateway.injectEndpoints({
  endpoints: build => ({
    /**
     * All members of the manager's supervisors' teams. The manager's own call answers them for the
     * whole dashboard; GET /engagement/team serves only the searched and paged list.
     */
    readWholeTeam: build.query<TeamAnalytics, void>({
      queryFn: async (_, { signal }) => {
        const result = await readAllPages(getTeamAnalytics, signal, { engagements: 'none' })
        if ('error' in result) return result
        const members = result.data.flatMap(page => page.users)
        const firstPage = result.data[0]
        return {
          data: {
            team_count: firstPage?.total_users ?? 0,
            average_completion: firstPage?.average_completion ?? 0,
            members,
          },
        }
      },
      providesTags: ['Engagement'],
    }),
    /** The figures of every supervisor's team in the caller's scope. */
    readAllTeams: build.query<TeamFigures[], void>({
      queryFn: async (_, { signal }) => {
        const result = await readAllPages(listTeams, signal)
        return 'error' in result ? result : { data: result.data.flat() }
      },
      providesTags: ['Engagement', 'Team'],
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
    withdrawRequest: build.mutation({ ...fromOperation(withdrawRequest), invalidatesTags: ['SupervisorRequests'] }),
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
  useReadAllTeamsQuery,
  useListAvailableSupervisorsQuery,
  useListOwnRequestsQuery,
  useRequestSupervisorMutation,
  useWithdrawRequestMutation,
  useSharePlaylistMutation,
} = managementApi
