import type { MemberAnalytics } from '@watchline/contracts/engagement'
import type { User } from '@watchline/contracts/people'
import type { OnlineSummary, OnlineUser } from '@watchline/contracts/presence'

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

/** Whether a person is online; undefined if the list is unknown or incomplete. */
export function statusOf(
  person: Pick<User, 'id'>,
  online: OnlineSummary | undefined,
): OnlineUser['status'] | 'offline' | undefined {
  if (!online) return undefined
  const seen = online.users.find(each => each.user_id === person.id)
  if (seen) return seen.status
  return online.users.length >= online.total_online ? 'offline' : undefined
}
