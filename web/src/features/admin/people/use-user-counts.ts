import { limits } from '@watchline/contracts/limits'
import { useGetTeamQuery } from '../../../api/lists.ts'
import { usePolling } from '../../../api/polling.ts'
import { useCountUsersQuery } from '../admin-api.ts'

/** The figures of the whole organisation. All cards share one query. */
export function useUserCounts() {
  return useCountUsersQuery(undefined, usePolling(limits.adminPollMs))
}

/** In percent, of all users; undefined if it is unknown or there are no users. */
export function useAverageCompletion(): { average: number | undefined; isLoading: boolean } {
  // The figure is the same on every page of people; the shortest page is enough.
  const { data, isLoading } = useGetTeamQuery({ query: { limit: 1 } }, usePolling(limits.adminPollMs))
  return { average: data && data.team_count > 0 ? data.average_completion : undefined, isLoading }
}
