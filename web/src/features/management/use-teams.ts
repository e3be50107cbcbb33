import type { TeamAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import { useMemo } from 'react'
import { asFailure, type Failure } from '../../api/failure.ts'
import { useReadOwnSupervisorsQuery } from '../../api/lists.ts'
import { usePolling } from '../../api/polling.ts'
import { useReadWholeTeamQuery } from './management-api.ts'
import { type Team, teamsOf } from './teams.ts'

interface Loaded<T> {
  /** Undefined until the first answer; with a failure beside it, from before. */
  data: T | undefined
  failure: Failure | undefined
  loading: boolean
  retry: () => void
}

export interface Teams {
  supervisors: Loaded<User[]>
  /** The figures of everybody. */
  whole: Loaded<TeamAnalytics>
  /** Both put together; undefined while the supervisors are not known. */
  teams: Team[] | undefined
}

/** The manager's supervisors and their teams, read once for every part of the dashboard. */
export function useTeams(): Teams {
  const polling = usePolling(limits.teamPollMs)
  const supervisors = useReadOwnSupervisorsQuery(undefined, polling)
  const whole = useReadWholeTeamQuery(undefined, polling)
  const teams = useMemo(
    () => supervisors.data && teamsOf(supervisors.data, whole.data?.members),
    [supervisors.data, whole.data],
  )
  return { supervisors: loaded(supervisors), whole: loaded(whole), teams }
}

function loaded<T>(query: { data?: T; error?: unknown; isFetching: boolean; refetch: () => void }): Loaded<T> {
  return {
    data: query.data,
    failure: query.error === undefined ? undefined : asFailure(query.error),
    loading: query.isFetching,
    retry: query.refetch,
  }
}
