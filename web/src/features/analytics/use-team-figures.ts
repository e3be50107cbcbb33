import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { useMemo } from 'react'
import { usePolling } from '../../api/polling.ts'
import { largestTeamPage, useGetTeamQuery } from './analytics-api.ts'

export interface TeamFigures {
  /** By id; undefined until the first answer. A very large scope has only its first members by name. */
  members?: ReadonlyMap<string, MemberAnalytics>
  /** The latest refresh failed; the figures, if any, are older. */
  failed: boolean
}

/** Each member's completion and watch time, for screens that list people. */
export function useTeamFigures(isEnabled: boolean): TeamFigures {
  const { data, error } = useGetTeamQuery(largestTeamPage, { ...usePolling(limits.teamPollMs), skip: !isEnabled })
  const members = useMemo(() => data && new Map(data.members.map(member => [member.user_id, member])), [data])
  return { members, failed: error !== undefined }
}
