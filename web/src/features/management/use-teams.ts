import type { TeamAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import { useMemo } from 'react'
import { asFailure, type Failure } from '../../api/failure.ts'
import { useReadOwnSupervisorsQuery } from '../../api/lists.ts'
import { usePolling } from '../../api/polling.ts'
import { useReadAllTeamsQuery, useReadWholeTeamQuery } from './management-api.ts'
import { groupTeams, type Team, toTeam } from './teams.ts'

export interface QueryState<T> {
  /** undefined until the first answer; after a failure the earlier data. */
  data: T | undefined
  failure: Failure | undefined
  loading: boolean
  retry: () => void
}

export interface Teams {
  supervisors: QueryState<User[]>
  /** The figures of all members. */
  analytics: QueryState<TeamAnalytics>
  /** Supervisors and figures combined; undefined until the supervisors are loaded. */
  teams: Team[] | undefined
}

/** The manager's supervisors and their teams, loaded once for the whole dashboard. */
export function useTeams(): Teams {
  const polling = usePolling(limits.teamPollMs)
  const supervisors = useReadOwnSupervisorsQuery(undefined, polling)
  const analytics = useReadWholeTeamQuery(undefined, polling)
  const teams = useMemo(
    () => supervisors.data && groupTeams(supervisors.data, analytics.data),
    [supervisors.data, analytics.data],
  )
  return { supervisors: toQueryState(supervisors), analytics: toQueryState(analytics), teams }
}

/** The teams of all supervisors, or only of one manager's, for a director. */
export function useAllTeams(managerId?: string): QueryState<Team[]> {
  const query = useReadAllTeamsQuery(undefined, usePolling(limits.teamPollMs))
  const teams = useMemo(
    () => query.data?.filter(team => managerId === undefined || team.manager_id === managerId).map(toTeam),
    [query.data, managerId],
  )
  return { ...toQueryState(query), data: teams }
}

/** The manager's teams once both supervisors and figures are loaded. */
export function comparableTeams({ supervisors, analytics, teams }: Teams): QueryState<Team[]> {
  const failedQuery = supervisors.failure ? supervisors : analytics
  return { ...failedQuery, data: analytics.data ? teams : undefined }
}

function toQueryState<T>(query: {
  data?: T
  error?: unknown
  isFetching: boolean
  refetch: () => void
}): QueryState<T> {
  return {
    data: query.data,
    failure: query.error === undefined ? undefined : asFailure(query.error),
    loading: query.isFetching,
    retry: query.refetch,
  }
}
