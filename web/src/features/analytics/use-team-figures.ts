import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { useMemo } from 'react'
import { usePolling } from '../../api/polling.ts'
import { mostFigures, useGetTeamQuery } from './analytics-api.ts'

export interface TeamFigures {
  /** By id; undefined until the first answer. Of a very large scope only the first members by name. */
  members?: ReadonlyMap<string, MemberAnalytics>
  /** The latest try failed: the figures, if any, are from before. */
  failed: boolean
}

/** What each member of the team has completed and watched, for other screens to show beside the person. */
export function useTeamFigures(on: boolean): TeamFigures {
  const { data, error } = useGetTeamQuery(mostFigures, { ...usePolling(limits.teamPollMs), skip: !on })
  const members = useMemo(() => data && new Map(data.members.map(member => [member.user_id, member])), [data])
  return { members, failed: error !== undefined }
}
