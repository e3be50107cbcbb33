import type { MemberAnalytics } from '@watchline/contracts/engagement'

export const teamPageSize = 50

/** The arguments of the team's first page, shared by stat card and table. */
export const firstTeamPage = { query: { limit: teamPageSize } }

/** Completion and watch time of the team's members. */
export interface TeamFigures {
  /** By id; undefined while unknown. */
  members?: ReadonlyMap<string, MemberAnalytics>
  /** The latest refresh failed; the figures, if any, are older. */
  failed: boolean
}
