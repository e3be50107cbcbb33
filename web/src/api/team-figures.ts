import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { useMemo } from 'react'
import { useGetTeamQuery } from './lists.ts'
import { usePolling } from './polling.ts'

export interface TeamFigures {
  /** By id; undefined until the first answer. People outside the caller's scope are missing. */
  members?: ReadonlyMap<string, MemberAnalytics>
  /** The latest refresh failed; the figures, if any, are older. */
  failed: boolean
}

/**
 * Completion and watch time of the people that a screen shows, at most limits.idListMax of them.
 */
export function useTeamFigures(userIds: readonly string[]): TeamFigures {
  const ids = userIds.slice(0, limits.idListMax).toSorted()
  const { data, error } = useGetTeamQuery(
    { query: { user_ids: ids.join(',') } },
    { ...usePolling(limits.teamPollMs), skip: ids.length === 0 },
  )
  const members = useMemo(() => data && new Map(data.members.map(member => [member.user_id, member])), [data])
  return { members, failed: error !== undefined }
}
