import { getTeamAnalytics, listTeams, type TeamAnalytics, type TeamFigures } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { listSupervisors, returnSupervisor } from '@watchline/contracts/organisation'
import { sharePlaylist } from '@watchline/contracts/playlist-imports'
import { listOwnRequests, requestSupervisor, withdrawRequest } from '@watchline/contracts/supervisor-requests'
import { readAllPages } from '../../api/all-pages.ts'
import { fromListOperation, fromOperation, gateway } from '../../api/gateway.ts'

/** The members and the figures of the teams of a manager's supervisors. */
export interface WholeTeam extends TeamAnalytics {
  teams: readonly TeamFigures[]
}

export const managementApi = gateway.injectEndpoints({
  endpoints: build => ({
    /**
     * All members of the manager's supervisors' teams, and the server's figures of each team. The
     * manager's own call answers them for the whole dashboard; GET /engagement/team serves only the
     * searched and paged list.
     */
    readWholeTeam: build.query<WholeTeam, void>({
      queryFn: async (_, { signal }) => {
        const [result, teams] = await Promise.all([
          readAllPages(getTeamAnalytics, signal, { engagements: 'none' }),
          readAllPages(listTeams, signal),
        ])
        if ('error' in result) return result
        if ('error' in teams) return teams
        const members = result.data.flatMap(page => page.users)
        const firstPage = result.data[0]
        return {
          data: {
            team_count: firstPage?.total_users ?? 0,
            average_completion: firstPage?.average_completion ?? 0,
            members,
            teams: teams.data.flat(),
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
    // Also after an error: somebody else may have moved the supervisor.
    returnSupervisor: build.mutation({
      // A call that waited for an undo is sent while the page closes.
      ...fromOperation(returnSupervisor, { keepalive: true }),
      invalidatesTags: ['Team', 'Engagement', 'SupervisorRequests', 'Playlists'],
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
  useReadAllTeamsQuery,
  useListAvailableSupervisorsQuery,
  useListOwnRequestsQuery,
  useRequestSupervisorMutation,
  useReturnSupervisorMutation,
  useWithdrawRequestMutation,
  useSharePlaylistMutation,
} = managementApi
